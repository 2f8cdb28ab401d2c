// Counts, for each SSTable, the saved states of this server's tablets that name it. After a split
// several tablets name the same file, so no single tablet knows when the file may be removed: when
// no saved state names it and no reader holds it. In a cluster, other servers may name it, too, and
// the master's sweep removes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/thread.h"
#include "engine/cache/block_cache.h"
#include "engine/fs/file_system.h"
#include "engine/sstable/sstable_reader.h"

namespace sippar::engine {

class FileRegistry;

// The file's name without its directory.
std::string SstableName(uint64_t file_id);
// The id in the name of an SSTable; nullopt if `name` is not the name of an SSTable.
std::optional<uint64_t> ParseSstableName(std::string_view name);

// One SSTable, shared by all tablets that name it. It is opened at first use, so an idle tablet
// holds no index and no file descriptor, only the facts about its files that are in its state.
class SharedSstable {
 public:
  SharedSstable(std::shared_ptr<FileRegistry> registry, uint64_t file_id)
      : registry_(std::move(registry)), file_id_(file_id) {}
  ~SharedSstable();
  SharedSstable(const SharedSstable&) = delete;
  SharedSstable& operator=(const SharedSstable&) = delete;

  // Opens the file if needed; the reader lives as long as this object. An error is not remembered:
  // the next call tries again.
  [[nodiscard]] StatusOr<const SstableReader*> Reader();

 private:
  const std::shared_ptr<FileRegistry> registry_;
  const uint64_t file_id_;
  std::atomic<const SstableReader*> ready_{nullptr};
  Mutex mutex_;
  std::shared_ptr<SstableReader> reader_ GUARDED_BY(mutex_);
};

// Thread safe. Its mutex comes after all locks of tablets and their owners in the lock order.
class FileRegistry : public std::enable_shared_from_this<FileRegistry> {
 public:
  // With `removes` false, no file is removed: tablets on other servers may name the files too, and
  // the cluster's sweep removes them.
  FileRegistry(FileSystem* fs, BlockCache* cache, std::string directory, bool removes = true)
      : fs_(fs), cache_(cache), directory_(std::move(directory)), removes_(removes) {}

  std::shared_ptr<SharedSstable> Find(uint64_t file_id);
  // Records that a saved state names these files. An id that occurs twice in the state counts
  // twice.
  void Name(const std::vector<uint64_t>& file_ids);
  // Records that a saved state no longer names these files. A file without names is removed once
  // its last reader has ended. A file that was never named stays: after a failed save it is not
  // known whether the state on disk names it.
  void Unname(const std::vector<uint64_t>& file_ids);
  std::vector<uint64_t> Named() const;
  // The ids in `file_ids` that a saved state names or a reader holds.
  std::vector<uint64_t> HeldOf(const std::vector<uint64_t>& file_ids) const;

  std::string PathOf(uint64_t file_id) const;
  const std::string& directory() const { return directory_; }

 private:
  friend class SharedSstable;
  struct Entry {
    std::weak_ptr<SharedSstable> file;
    uint64_t names = 0;
    bool obsolete = false;
  };
  void Released(uint64_t file_id);
  void Remove(uint64_t file_id);

  FileSystem* const fs_;
  BlockCache* const cache_;
  const std::string directory_;
  const bool removes_;
  mutable Mutex mutex_;
  std::map<uint64_t, Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
