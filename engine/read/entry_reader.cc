// SPDX-License-Identifier: Apache-2.0
#include "engine/read/entry_reader.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/model/stored_entry.h"

namespace sippar::engine {
namespace {

class EntryReader final : public CellStream {
 public:
  explicit EntryReader(RowReaderOptions&& options)
      : options_(std::move(options)), counters_(options_.opened), read_(options_.limits) {
    options_.visibility.mode = VisibilityMode::kEverything;
    if (read_.reverse) std::reverse(options_.ranges.begin(), options_.ranges.end());
    OpenRange();
    Find();
  }
  ~EntryReader() override {
    CountEntries();
    if (options_.totals != nullptr) options_.totals->Add(counters_);
    if (options_.work != nullptr) options_.work->AddRead(counters_);
    if (options_.counters != nullptr) options_.counters->Add(counters_);
  }
  EntryReader(const EntryReader&) = delete;
  EntryReader& operator=(const EntryReader&) = delete;

  bool Valid() const override { return valid_; }
  const CellView& cell() const override { return cell_; }
  const StoredEntry* entry() const override { return &entry_; }
  Status status() const override { return WithPlace(options_, status_); }

  void Next() override {
    entries_->Next();
    Find();
  }
  void NextRow() override {
    if (read_.reverse) {
      in_range_ = StepBack();
    } else {
      entries_->SkipRow();
    }
    Find();
  }

 private:
  const EntryPlace& place() const { return entries_->place(); }

  void CountEntries() {
    if (entries_ != nullptr) counters_.entries_seen += entries_->entries_seen();
  }

  // Opens ranges[range_], or the first later range that may hold rows; entries_ stays null after
  // the last range.
  void OpenRange() {
    CountEntries();
    entries_.reset();
    row_delete_ = {};
    matched_column_ = 0;  // a new iterator counts rows and columns again from 1
    std::unique_ptr<EntryIterator> input;
    for (; range_ < options_.ranges.size(); ++range_) {
      input = options_.source(options_.ranges[range_], &counters_);
      if (input != nullptr) break;
    }
    if (input == nullptr) return;
    const RowRange& range = options_.ranges[range_];
    start_ = SeekKeyForRow(range.start);
    back_limit_ = options_.visibility.row_limit = SeekKeyForRow(range.limit);
    entries_ = std::make_unique<VisibilityIterator>(std::move(input), options_.visibility);
    in_range_ = true;
    if (read_.reverse) {
      in_range_ = StepBack();
    } else {
      entries_->SeekRow(start_);
    }
  }

  // Reverse reads: moves to the next lower row of the range that has entries. False: there is none,
  // or an error is in the iterator's status.
  bool StepBack() {
    while (entries_->SeekRowBefore(back_limit_)) {
      back_limit_ = entries_->found_row_part();
      if (back_limit_ < start_) return false;
      if (entries_->Valid()) return true;  // false if all that the row has is of dropped families
    }
    return false;
  }

  // Makes sure that the iterator is at an entry of a wanted range. False at the end.
  bool EnsureInRange() {
    while (entries_ != nullptr) {
      status_ = entries_->status();
      if (!status_.ok()) return false;
      if (in_range_ && entries_->Valid()) return true;
      if (in_range_ && read_.reverse) {
        in_range_ = StepBack();
      } else {
        ++range_;
        OpenRange();
      }
    }
    return false;
  }

  void Find() {
    valid_ = false;
    while (EnsureInRange()) {
      if (entries_->kind() == EntryKind::kRowTombstone) {
        if (IsNewRowDelete()) return Take();
        entries_->Next();
      } else if (entries_->kind() == EntryKind::kFamilyTombstone) {
        if (options_.columns->MatchesFamily(place().family())) return Take();
        entries_->SkipFamily();
      } else if (!MatchesColumn()) {
        SkipColumn();
      } else if (HasWantedTime()) {
        return Take();
      } else {
        entries_->Next();
      }
    }
  }

  // The delete of a row is stored in every locality group, so it may come several times in
  // succession.
  bool IsNewRowDelete() {
    const std::pair<uint64_t, uint64_t> found(place().row_count(), entries_->sequence());
    return std::exchange(row_delete_, found) != found;
  }

  bool MatchesColumn() {
    if (std::exchange(matched_column_, place().column_count()) != place().column_count()) {
      column_matches_ = options_.columns->Matches(place().family(), place().qualifier());
    }
    return column_matches_;
  }

  void SkipColumn() {
    std::string next;
    if (!options_.columns->NextQualifier(place().family(), place().qualifier(), &next)) {
      entries_->SkipFamily();
    } else if (next > place().qualifier()) {
      entries_->SkipToQualifier(next);
    } else {
      entries_->SkipColumn();
    }
  }

  bool HasWantedTime() const {
    if (entries_->kind() == EntryKind::kCell) return read_.time.Contains(entries_->timestamp_us());
    const TimeRange deleted = TimesOfDelete();
    // The limit of a range is not in it, unless the range has no end.
    return read_.time.Overlaps(deleted.start_us,
                               deleted.limit_us == kTimeMax ? kTimeMax : deleted.limit_us - 1);
  }

  TimeRange TimesOfDelete() const {
    ColumnDelete what;
    // The iterator has already decoded it, and ends with an error if that fails.
    CHECK(DecodeColumnDelete(entries_->value(), &what));
    return what.time;
  }

  void Take() {
    valid_ = true;
    ++counters_.cells_returned;
    entry_ = {entries_->kind(), {}, entries_->is_visible()};
    cell_ = {place().row(), place().family(), {}, 0, entries_->sequence(), {}};
    const bool of_column =
        entry_.kind == EntryKind::kColumnTombstone || entry_.kind == EntryKind::kCell;
    if (of_column) cell_.qualifier = place().qualifier();
    if (entry_.kind == EntryKind::kColumnTombstone) entry_.time = TimesOfDelete();
    if (entry_.kind != EntryKind::kCell) return;
    cell_.timestamp_us = entries_->timestamp_us();
    if (!read_.strip_values) cell_.value = entries_->value();
  }

  RowReaderOptions options_;
  ReadCounters counters_;  // declared before the iterators that write to it
  const CellLimits& read_;
  size_t range_ = 0;
  std::unique_ptr<VisibilityIterator> entries_;
  bool in_range_ = false;                     // entries_ has not left the range
  std::string start_;                         // row part of the start of the current range
  std::string back_limit_;                    // row part of the current row of a reverse read
  std::pair<uint64_t, uint64_t> row_delete_;  // row_count and sequence of the last delete of a row
  uint64_t matched_column_ = 0;  // the column_count for which column_matches_ was computed
  bool column_matches_ = false;
  CellView cell_;
  StoredEntry entry_;
  bool valid_ = false;
  Status status_;
};

}  // namespace

std::unique_ptr<CellStream> NewEntryReader(RowReaderOptions&& options) {
  return std::make_unique<EntryReader>(std::move(options));
}

}  // namespace sippar::engine
