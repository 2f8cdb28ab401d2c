// Sources of a version. SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_version.h"

#include <algorithm>

#include "engine/model/cell_key.h"

namespace sippar::engine {
namespace {

class RunIterator final : public EntryIterator {
 public:
  RunIterator(std::vector<std::shared_ptr<const TabletFile>> files, ReadAhead read_ahead)
      : files_(std::move(files)), read_ahead_(read_ahead) {}

  bool Valid() const override { return current_ != nullptr && current_->Valid(); }
  std::string_view key() const override { return current_->key(); }
  std::string_view value() const override { return current_->value(); }
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
    // The part of a file that is trusted may have no key before `key`.
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
    if (index_ < files_.size()) current_ = files_[index_]->NewIterator(read_ahead_);
  }

  void SkipEnded() {
    while (current_ != nullptr && !current_->Valid() && current_->status().ok()) {
      Open(index_ + 1);
      if (current_ != nullptr) current_->Seek("");
    }
  }

  std::vector<std::shared_ptr<const TabletFile>> files_;
  ReadAhead read_ahead_;
  size_t index_ = SIZE_MAX;
  std::unique_ptr<EntryIterator> current_;
};

}  // namespace

std::unique_ptr<EntryIterator> NewRunIterator(std::vector<std::shared_ptr<const TabletFile>> files,
                                              ReadAhead read_ahead) {
  if (files.size() == 1) return files[0]->NewIterator(read_ahead);
  return std::make_unique<RunIterator>(std::move(files), read_ahead);
}

void AddGroupSources(const GroupVersion& group, const RowRange& range, ReadAhead read_ahead,
                     std::vector<std::unique_ptr<EntryIterator>>* sources) {
  if (!group.active->empty()) sources->push_back(group.active->NewIterator());
  for (const auto& memtable : group.frozen) sources->push_back(memtable->NewIterator());
  if (group.runs.empty()) return;
  std::string start = SeekKeyForRow(range.start);
  std::string limit = SeekKeyForRow(range.limit);
  bool single = range.IsSingle();
  for (const TabletRun& run : group.runs) {
    // Files of a run are disjoint and in key order.
    auto file = std::partition_point(run.files.begin(), run.files.end(),
                                     [&](const auto& before) { return before->EndsBefore(start); });
    std::vector<std::shared_ptr<const TabletFile>> files;
    for (; file != run.files.end(); ++file) {
      if (!limit.empty() && (*file)->first_key() >= limit) break;
      if (!single || (*file)->MayContainRow(start)) files.push_back(*file);
    }
    if (!files.empty()) sources->push_back(NewRunIterator(std::move(files), read_ahead));
  }
}

}  // namespace sippar::engine
