// What a reader holds of a tablet: an immutable list of memtables and SSTables. A new version is
// made by each freeze, flush and compaction; files leave the disk when no version names them any
// more. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine/cache/block_cache.h"
#include "engine/fs/file_system.h"
#include "engine/memtable/memtable.h"
#include "engine/model/cell_key.h"
#include "engine/model/row_set.h"
#include "engine/sstable/sstable_reader.h"

namespace sippar::engine {

// An open SSTable with its fate: marked obsolete, it is removed when the last version lets go of
// it.
class TabletFile {
 public:
  TabletFile(FileSystem* fs, BlockCache* cache, std::shared_ptr<SstableReader> reader)
      : fs_(fs), cache_(cache), reader_(std::move(reader)) {}
  ~TabletFile() {
    if (!obsolete_) return;
    cache_->EraseFile(reader_->summary().file_id);
    // Best effort: what stays is an orphan that the next start sweeps.
    (void)fs_->Remove(reader_->path());
  }
  TabletFile(const TabletFile&) = delete;
  TabletFile& operator=(const TabletFile&) = delete;

  void MarkObsolete() { obsolete_ = true; }
  const SstableReader& reader() const { return *reader_; }
  const FileSummary& summary() const { return reader_->summary(); }

 private:
  FileSystem* fs_;
  BlockCache* cache_;
  std::shared_ptr<SstableReader> reader_;
  std::atomic<bool> obsolete_{false};
};

struct TabletRun {
  uint64_t run_id = 0;
  std::vector<std::shared_ptr<TabletFile>> files;  // disjoint, in key order
};

struct GroupVersion {
  std::string name;
  std::shared_ptr<Memtable> active;
  std::vector<std::shared_ptr<Memtable>> frozen;  // oldest first, being flushed
  std::vector<TabletRun> runs;                    // oldest first
};

struct TabletVersion {
  std::vector<GroupVersion> groups;

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

// Sources for the rows of `range` in one group: memtables, then the files whose keys (and, for a
// single row, whose Bloom filters) do not rule it out.
void AddGroupSources(const GroupVersion& group, const RowRange& range, ReadAhead read_ahead,
                     std::vector<std::unique_ptr<EntryIterator>>* sources);

// The files of one run, one after the other.
std::unique_ptr<EntryIterator> NewRunIterator(std::vector<std::shared_ptr<TabletFile>> files,
                                              ReadAhead read_ahead);

}  // namespace sippar::engine
