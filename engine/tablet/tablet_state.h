// A tablet's durable state, which the paper keeps in its METADATA row: its range, its SSTables and
// its redo point. TabletStateWriter hides where it is saved: in the tablet's row of METADATA, or,
// for the root tablet, in the lock service.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/row_set.h"
#include "engine/sstable/file_summary.h"
#include "engine/tablet/family_moves.h"

namespace sippar::engine {

// An SSTable as a tablet's state names it. After a split several tablets name the same file, and
// each sees only its own rows of the file.
struct FileRef {
  FileSummary summary;      // summary of the whole file
  RowRange rows;            // visible rows; the other rows belong to other tablets
  uint64_t part_bytes = 0;  // stored bytes of `rows`; an estimate if the file is shared

  FileRef() = default;
  explicit FileRef(FileSummary whole) : summary(std::move(whole)), part_bytes(summary.size_bytes) {}
  bool IsWhole() const { return rows == RowRange::All(); }
};

struct RunState {
  uint64_t run_id = 0;         // unique within the tablet
  std::vector<FileRef> files;  // in key order; their visible parts are disjoint
  // Every delete in the run, and everything in it that became garbage, is from this time or later;
  // 0: from any time.
  int64_t made_us = 0;
  bool major = false;  // made by a major compaction
};

struct GroupState {
  std::string name;
  std::vector<RunState> runs;  // oldest first
};

struct TabletState {
  uint64_t tablet_id = 0;
  uint64_t table_id = 0;
  RowRange range;
  uint64_t redo_sequence = 0;  // every entry up to this number is in an SSTable
  // The largest time given by a server; later ones are not below it (tests/FAULTS.md C2).
  int64_t last_time_us = 0;
  // Cells of a family with a sequence number below this one belong to a dropped family of the same
  // name. The keys are those of BirthKey (reshape.h). Under the keys of RuleEndKey: the sequence
  // number at which an earlier GC rule of a family ended.
  std::map<std::string, uint64_t> family_births;
  std::vector<GroupState> groups;
  OldGroups old_groups;
  // The answers to the writes up to the redo point, and perhaps to some later writes, as encoded
  // by RequestMemory::Encode.
  std::string requests;

  GroupState* Group(const std::string& name);  // adds the group if it is absent
  std::vector<uint64_t> FileIds() const;       // an id that the state names twice occurs twice
  std::string Encode() const;
  [[nodiscard]] static StatusOr<TabletState> Decode(std::string_view bytes);
};

// Where a tablet saves its state. Thread safe for different tablets. A Save that returned OK is
// durable and replaced the old state as a whole; after an error either state may be there.
class TabletStateWriter {
 public:
  virtual ~TabletStateWriter() = default;
  [[nodiscard]] virtual Status Save(const TabletState& state) = 0;
};

}  // namespace sippar::engine
