// A tablet's durable state: what the paper keeps in its METADATA row, that is its range, SSTables
// and redo point. Behind an interface: a file here, a METADATA row in the cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/model/row_set.h"
#include "engine/sstable/file_summary.h"
#include "engine/tablet/family_moves.h"

namespace sippar::engine {

// An SSTable as a tablet names it. After a split several tablets name one file, each trusting it
// for its own rows only.
struct FileRef {
  FileSummary summary;      // of the whole file
  RowRange rows;            // what else the file holds is another tablet's
  uint64_t part_bytes = 0;  // stored bytes of these rows; an estimate when the file is shared

  FileRef() = default;
  explicit FileRef(FileSummary whole) : summary(std::move(whole)), part_bytes(summary.size_bytes) {}
  bool IsWhole() const { return rows == RowRange::All(); }
};

struct RunState {
  uint64_t run_id = 0;         // unique in the store
  std::vector<FileRef> files;  // disjoint where they are trusted, in key order
  // Deletes and garbage in it are not older (RunInfo); 0 in states of format 1: as old as can be.
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
  uint64_t redo_sequence = 0;  // every entry up to here is in an SSTable
  int64_t last_time_us = 0;    // server-given timestamps continue above (FAULTS.md C2)
  // Cells of a family below this sequence are of an earlier family of the name. By name, or
  // NAME#INCARNATION.
  std::map<std::string, uint64_t> family_births;
  std::vector<GroupState> groups;
  OldGroups old_groups;
  std::string
      requests;  // of RequestMemory::Encode: what was answered to writes up to the redo point

  GroupState* Group(const std::string& name);  // added when absent
  std::vector<uint64_t> FileIds() const;       // as often as they are named
  std::string Encode() const;
  [[nodiscard]] static StatusOr<TabletState> Decode(std::string_view bytes);
};

// Where a tablet saves its state. Thread safe for different tablets. A Save that returned OK is
// durable and replaces the old state whole; after an error either may be there.
class TabletStateWriter {
 public:
  virtual ~TabletStateWriter() = default;
  [[nodiscard]] virtual Status Save(const TabletState& state) = 0;
};

class TabletStateStore : public TabletStateWriter {
 public:
  [[nodiscard]] virtual StatusOr<TabletState> Load(uint64_t tablet_id) = 0;
  [[nodiscard]] virtual Status Remove(uint64_t tablet_id) = 0;
  [[nodiscard]] virtual StatusOr<std::vector<uint64_t>> List() = 0;
};

// One file a tablet in `directory`, which must exist.
std::unique_ptr<TabletStateStore> NewFileTabletStateStore(FileSystem* fs, std::string directory);

}  // namespace sippar::engine
