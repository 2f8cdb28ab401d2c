// What a reader holds of a tablet: an immutable list of memtables and SSTables. A new version is
// made by each freeze, flush and compaction; files leave the disk when no version names them any
// more. SPDX-License-Identifier: Apache-2.0
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
  int64_t made_us = 0;                                   // as in RunState
  bool major = false;
};
RunState StateOf(const TabletRun& run);

struct GroupVersion {
  std::string name;
  std::shared_ptr<Memtable> active;
  std::vector<std::shared_ptr<Memtable>> frozen;  // oldest first, being flushed
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

// What of a group may hold rows of a range.
struct GroupSources {
  const GroupVersion* group = nullptr;
  std::vector<std::vector<std::shared_ptr<const TabletFile>>> runs;  // files of each, in key order
};

// False, and nothing kept, when keys, times and Bloom filters say that no row of `range` is there.
// Of a single row only the exact `columns` are wanted; empty: all.
bool FindGroupSources(const GroupVersion& group, const RowRange& range, const FileRead& read,
                      std::span<const ColumnPattern> columns, GroupSources* found);
void OpenGroupSources(GroupSources found, const FileRead& read,
                      std::vector<std::unique_ptr<EntryIterator>>* sources);

// The files of one run, one after the other.
std::unique_ptr<EntryIterator> NewRunIterator(std::vector<std::shared_ptr<const TabletFile>> files,
                                              const FileRead& read);

}  // namespace sippar::engine
