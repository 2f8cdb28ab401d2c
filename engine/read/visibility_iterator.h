// Reduces stored entries to the versions that exist: applies the snapshot, deletes, replaced
// versions, dropped families and the family's GC rule. Reads and compactions use the same code, so
// that no answer can depend on when a compaction ran. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/stop_signal.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/cell_key.h"
#include "engine/read/column_versions.h"
#include "engine/read/delete_marks.h"
#include "engine/read/entry_place.h"
#include "engine/read/entry_skips.h"
#include "engine/read/family_rule.h"

namespace sippar::engine {

enum class VisibilityMode {
  kRead,        // Returns visible cells only.
  kCollectAll,  // For compactions whose inputs include the oldest run: like kRead.
  // For other compactions: drops the cells that a delete of a whole column, family or row hides,
  // and the cells and tombstones of a dropped family. Keeps everything else: all row tombstones,
  // and even versions that kRead hides because of the GC rule, a newer version or a delete of a
  // time range.
  kKeepHistory,
  // For diagnosis: returns every entry up to the snapshot, also the hidden ones and the tombstones.
  // Leaves out only what belongs to a dropped family.
  kEverything,
};

class VisibilityIterator {
 public:
  struct Options {
    uint64_t snapshot = UINT64_MAX;  // entries with a higher sequence number are ignored
    int64_t now_us = 0;
    VisibilityMode mode = VisibilityMode::kRead;
    std::shared_ptr<const FamilyRules> families;
    const StopSignal* stop = nullptr;  // may be null
    std::string row_limit;             // rows from this row part on are not read; "" = none
  };
  VisibilityIterator(std::unique_ptr<EntryIterator> input, Options options);

  // Moves to the first visible entry at or after the start of a row ("" = start of all). `row_part`
  // must be a whole row part: a start within a row would miss the row's tombstones.
  void SeekRow(std::string_view row_part);
  // Moves to the last row before `row_part` ("" = the last of all) that has entries, and reads it
  // from its start; Valid() is false when none of them is visible. Returns false when there is no
  // such row, or after an error (status()). `row_part` becomes the new row limit.
  bool SeekRowBefore(std::string_view row_part);
  const std::string& found_row_part() const { return found_row_part_; }

  bool Valid() const { return valid_; }
  void Next();        // Requires: Valid()
  void SkipColumn();  // moves past the current column
  void SkipRow();     // moves to the next row
  // Moves forward within the current family to its first column with a qualifier >= `qualifier`.
  void SkipToQualifier(std::string_view qualifier);
  void SkipFamily();
  const Status& status() const { return status_; }

  std::string_view key() const { return input_->key(); }
  std::string_view value() const { return input_->value(); }
  uint64_t value_size() const { return input_->value_size(); }
  EntryKind kind() const { return entry_.kind; }
  int64_t timestamp_us() const { return entry_.timestamp_us; }
  uint64_t sequence() const { return entry_.sequence; }
  // For kEverything. False: a read would not return the entry.
  bool is_visible() const { return hidden_at_ != steps_; }
  const EntryPlace& place() const { return place_; }
  uint64_t entries_seen() const { return steps_; }

 private:
  void FindVisible();
  bool ReadEntry();  // parses the current entry; enters its row, family, column
  // Called on entering a row, a family and a column.
  void OnRow();
  void OnFamily();
  void OnColumn();
  bool NoteTombstone();  // true: the caller gets the tombstone (kKeepHistory)
  bool IsVisibleCell();
  bool SurvivesReplay();
  bool IsOfKnownFamily() const;

  std::unique_ptr<EntryIterator> input_;
  EntrySkips skips_;  // moves input_
  Options options_;
  EntryPlace place_;
  DeleteMarks deletes_;
  ColumnVersions versions_;
  uint64_t rule_of_name_ =
      UINT64_MAX;    // place_.family_name_count() when versions_ last got the rule of a family
  ParsedKey entry_;  // only kind, timestamp and sequence are valid; its string views may dangle
  bool valid_ = false;
  bool after_limit_ = false;
  uint64_t steps_ = 0;
  uint64_t hidden_at_ = 0;  // steps_ at the last hidden entry that was returned; 0: none
  Status status_;
  std::string found_row_part_;
};

}  // namespace sippar::engine
