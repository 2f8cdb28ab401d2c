// The SSTables of a store by who names them. After a split two tablets name one file, so no tablet
// alone knows when it may go: it leaves the disk when no tablet's saved state names it and no
// reader holds it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/thread.h"
#include "engine/cache/block_cache.h"
#include "engine/fs/file_system.h"
#include "engine/sstable/sstable_reader.h"

namespace sippar::engine {

class FileRegistry;

std::string SstableName(uint64_t file_id);                        // in its directory
std::optional<uint64_t> ParseSstableName(std::string_view name);  // nullopt: of something else

// One SSTable, shared by all tablets that name it. Opened at first use: an idle tablet holds what
// its state says of its files, no index and no file descriptor.
class SharedSstable {
 public:
  SharedSstable(std::shared_ptr<FileRegistry> registry, uint64_t file_id)
      : registry_(std::move(registry)), file_id_(file_id) {}
  ~SharedSstable();
  SharedSstable(const SharedSstable&) = delete;
  SharedSstable& operator=(const SharedSstable&) = delete;

  // Lives as long as this. An error is not remembered: the next call tries again.
  [[nodiscard]] StatusOr<const SstableReader*> Reader();

 private:
  const std::shared_ptr<FileRegistry> registry_;
  const uint64_t file_id_;
  std::atomic<const SstableReader*> ready_{nullptr};
  Mutex mutex_;
  std::shared_ptr<SstableReader> reader_ GUARDED_BY(mutex_);
};

// Thread safe. Lock order: last of all.
class FileRegistry : public std::enable_shared_from_this<FileRegistry> {
 public:
  // `removes` false: other servers may name the files, somebody else sweeps.
  FileRegistry(FileSystem* fs, BlockCache* cache, std::string directory, bool removes = true)
      : fs_(fs), cache_(cache), directory_(std::move(directory)), removes_(removes) {}

  std::shared_ptr<SharedSstable> Find(uint64_t file_id);
  // A saved state names these files, once for each time they stand in it.
  void Name(const std::vector<uint64_t>& file_ids);
  // A saved state names them no more. What nobody names any more goes with its last reader; a file
  // that was never named stays: after a failed save nobody knows whether a state names it.
  void Unname(const std::vector<uint64_t>& file_ids);
  // A file that was removed, or may be by now, is there again under its id, with the bytes of
  // `source`, and named once.
  [[nodiscard]] Status Adopt(uint64_t file_id, const std::string& source);
  std::vector<uint64_t> Named() const;
  // Those of `file_ids` that a state names or a reader has.
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
  void Remove(uint64_t file_id);  // Requires: it is in removing_

  FileSystem* const fs_;
  BlockCache* const cache_;
  const std::string directory_;
  const bool removes_;
  mutable Mutex mutex_;
  std::map<uint64_t, Entry> entries_ GUARDED_BY(mutex_);
  std::set<uint64_t> removing_ GUARDED_BY(mutex_);
  CondVar removed_;
};

}  // namespace sippar::engine
