// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_version.h"

#include <algorithm>

#include "engine/model/cell_key.h"

namespace sippar::engine {
namespace {

// Concatenates the files of a run. They are disjoint, so only one is open at a time and a long run
// costs a scan no more memory than a single file.
class RunIterator final : public EntryIterator {
 public:
  RunIterator(std::vector<std::shared_ptr<const TabletFile>> files, const FileRead& read)
      : files_(std::move(files)), read_(read) {}

  bool Valid() const override { return current_ != nullptr && current_->Valid(); }
  std::string_view key() const override { return current_->key(); }
  std::string_view value() const override { return current_->value(); }
  uint64_t value_size() const override { return current_->value_size(); }
  Status status() const override { return current_ == nullptr ? OkStatus() : current_->status(); }

  void Seek(std::string_view key) override {
    auto file = std::partition_point(files_.begin(), files_.end(), [&](const auto& candidate) {
      return candidate->EndsBefore(key);
    });
    Open(static_cast<size_t>(file - files_.begin()));
    if (current_ != nullptr) current_->Seek(key);
    SkipEnded();
  }

  void Next() override {
    current_->Next();
    SkipEnded();
  }

  void SeekBefore(std::string_view key) override {
    auto file = files_.end();
    if (!key.empty()) {
      file = std::partition_point(files_.begin(), files_.end(), [&](const auto& candidate) {
        return std::string_view(candidate->first_key()) < key;
      });
    }
    if (file == files_.begin()) {
      current_.reset();
      return;
    }
    auto index = static_cast<size_t>(file - files_.begin()) - 1;
    Open(index);
    current_->SeekBefore(key);
    // first_key() is only a bound: the visible part of a cut file may have no key before `key`.
    while (!current_->Valid() && current_->status().ok() && index > 0) {
      Open(--index);
      current_->SeekBefore("");
    }
  }

 private:
  void Open(size_t index) {
    if (index == index_ && current_ != nullptr) return;
    index_ = index;
    current_.reset();
    if (index_ < files_.size()) current_ = files_[index_]->NewIterator(read_);
  }

  void SkipEnded() {
    while (current_ != nullptr && !current_->Valid() && current_->status().ok()) {
      Open(index_ + 1);
      if (current_ != nullptr) current_->Seek("");
    }
  }

  std::vector<std::shared_ptr<const TabletFile>> files_;
  const FileRead read_;
  size_t index_ = SIZE_MAX;
  std::unique_ptr<EntryIterator> current_;
};

// Looks up one row, or some exact columns of a row, in Bloom filters. The column keys are encoded
// for the first file only and shared by all others.
class WantedOfRow {
 public:
  WantedOfRow(std::string_view row_part, std::span<const ColumnPattern> columns)
      : row_part_(row_part), columns_(columns) {}

  bool MayBeIn(const TabletFile& file) {
    if (columns_.empty()) return file.MayContainRow(row_part_);
    if (column_parts_.empty()) EncodeColumns();
    return std::any_of(column_parts_.begin(), column_parts_.end(),
                       [&](const std::string& part) { return file.MayContainColumn(part); });
  }

 private:
  void EncodeColumns() {
    for (const ColumnPattern& column : columns_) {
      column_parts_.push_back(
          EncodeColumnPart(row_part_, column.family.text, column.qualifier.text));
    }
  }

  const std::string_view row_part_;
  const std::span<const ColumnPattern> columns_;
  std::vector<std::string> column_parts_;
};

// A file with a tombstone may hide cells of any time, so it is never left out by time.
bool OutOfTime(const FileSummary& file, const TimeRange& time) {
  return file.tombstones == 0 && !time.Overlaps(file.time_min_us, file.time_max_us);
}

}  // namespace

RunState StateOf(const TabletRun& run) {
  RunState state{run.run_id, {}, run.made_us, run.major};
  for (const auto& file : run.files) state.files.push_back(file->ref());
  return state;
}

std::unique_ptr<EntryIterator> NewRunIterator(std::vector<std::shared_ptr<const TabletFile>> files,
                                              const FileRead& read) {
  if (files.size() == 1) return files[0]->NewIterator(read);
  return std::make_unique<RunIterator>(std::move(files), read);
}

bool FindGroupSources(const GroupVersion& group, const RowRange& range, const FileRead& read,
                      std::span<const ColumnPattern> columns, GroupSources* found) {
  found->group = &group;
  bool any = !group.active->empty() || !group.frozen.empty();
  if (group.runs.empty()) return any;
  bool single = range.IsSingle();
  std::string start = SeekKeyForRow(range.start);
  // For a single row, nearly all candidate files begin at or before it, so the limit key is
  // computed only for the few that begin after it.
  std::string limit = single ? std::string() : SeekKeyForRow(range.limit);
  auto begins_behind = [&](const TabletFile& file) {
    if (!single) return !limit.empty() && file.first_key() >= limit;
    return file.first_key() > start && file.first_key() >= SeekKeyForRow(range.limit);
  };
  WantedOfRow wanted(start, columns);
  ReadCounters* counters = read.counters;
  for (const TabletRun& run : group.runs) {
    // The files of a run are disjoint and in key order, so a binary search finds the first
    // candidate.
    auto file = std::partition_point(run.files.begin(), run.files.end(),
                                     [&](const auto& before) { return before->EndsBefore(start); });
    // Counts all files as left out by key; the loop subtracts the files in the range.
    counters->files_by_key += run.files.size();
    std::vector<std::shared_ptr<const TabletFile>> files;
    for (; file != run.files.end() && !begins_behind(**file); ++file) {
      --counters->files_by_key;
      // The times are tested before the Bloom filter, because a look-up in the filter may open the
      // file.
      if (OutOfTime((*file)->summary(), read.time)) {
        ++counters->files_by_time;
      } else if (single && !wanted.MayBeIn(**file)) {
        ++counters->files_by_bloom;
      } else {
        files.push_back(*file);
      }
    }
    counters->files_read += files.size();
    if (!files.empty()) found->runs.push_back(std::move(files));
  }
  return any || !found->runs.empty();
}

void OpenGroupSources(GroupSources found, const FileRead& read,
                      std::vector<std::unique_ptr<EntryIterator>>* sources) {
  const GroupVersion& group = *found.group;
  if (!group.active->empty()) sources->push_back(group.active->NewIterator());
  for (const auto& memtable : group.frozen) sources->push_back(memtable->NewIterator());
  for (auto& files : found.runs) sources->push_back(NewRunIterator(std::move(files), read));
}

}  // namespace sippar::engine
