// The immutable list of memtables and SSTables that a reader of a tablet holds. Each freeze, flush,
// compaction and change of the schema makes a new version. A file may leave the disk once no saved
// state names it and no version that a reader holds contains it (file_registry.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/memtable/memtable.h"
#include "engine/model/column_pattern.h"
#include "engine/model/row_set.h"
#include "engine/tablet/family_moves.h"
#include "engine/tablet/tablet_file.h"

namespace sippar::engine {

struct TabletRun {
  uint64_t run_id = 0;
  std::vector<std::shared_ptr<const TabletFile>> files;  // disjoint, in key order
  int64_t made_us = 0;                                   // same meaning as RunState::made_us
  bool major = false;
};
RunState StateOf(const TabletRun& run);

struct GroupVersion {
  std::string name;
  std::shared_ptr<Memtable> active;
  std::vector<std::shared_ptr<Memtable>> frozen;  // memtables being flushed, oldest first
  std::vector<TabletRun> runs;                    // oldest first
};

struct TabletVersion {
  std::vector<GroupVersion> groups;
  OldGroups old_groups;

  const GroupVersion* Group(std::string_view name) const {
    for (const GroupVersion& group : groups) {
      if (group.name == name) return &group;
    }
    return nullptr;
  }
  GroupVersion* Group(std::string_view name) {
    return const_cast<GroupVersion*>(std::as_const(*this).Group(name));
  }
};

// The memtables and files of a group that may hold rows of a range.
struct GroupSources {
  const GroupVersion* group = nullptr;
  // The files of each run, in key order.
  std::vector<std::vector<std::shared_ptr<const TabletFile>>> runs;
};

// Finds the sources of a group that may hold rows of `range`, by their key ranges, times and Bloom
// filters. False if there are none. If `range` is a single row, `columns` lists the only columns
// wanted, by exact names; an empty list means all columns.
bool FindGroupSources(const GroupVersion& group, const RowRange& range, const FileRead& read,
                      std::span<const ColumnPattern> columns, GroupSources* found);
void OpenGroupSources(GroupSources found, const FileRead& read,
                      std::vector<std::unique_ptr<EntryIterator>>* sources);

// Iterates over the files of one run in key order.
std::unique_ptr<EntryIterator> NewRunIterator(std::vector<std::shared_ptr<const TabletFile>> files,
                                              const FileRead& read);

}  // namespace sippar::engine
