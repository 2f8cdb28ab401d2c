// A file system on top of one that cannot be written because it is full or read-only: every change
// stays in memory and is lost with this object. It lets a directory whose logs need recovery be
// opened for reading on such a disk (FAULTS.md D6, D19). Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "engine/fs/file_system.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::engine {

// Reads, lists and locks in `lower`, but never writes to it. Existing files are locked there, so
// that the lock also excludes other processes. Syncs succeed and make nothing durable.
class OverlayFileSystem final : public FileSystem {
 public:
  // Holds at most `capacity` bytes of changes; more fails with DiskFull. `lower` must outlive this
  // object.
  OverlayFileSystem(FileSystem* lower, uint64_t capacity) : lower_(lower), upper_(capacity) {}

  // From now on every change fails with `why`, as it would on the disk itself.
  void Refuse(const Status& why);
  // True if a change failed because of Refuse.
  bool has_refused() const { return gate_->refused.load(); }

  StatusOr<std::unique_ptr<AppendFile>> Create(const std::string& path) override;
  StatusOr<std::unique_ptr<RandomFile>> OpenRandom(const std::string& path) override;
  Status Rename(const std::string& source, const std::string& target) override;
  Status RenameNew(const std::string& source, const std::string& target) override;
  Status Link(const std::string& source, const std::string& target) override;
  Status Remove(const std::string& path) override;
  Status RemoveDir(const std::string& path) override;
  Status CreateDir(const std::string& path) override;
  Status SyncDir(const std::string& path) override;
  Status SyncFile(const std::string& path) override;
  StatusOr<std::vector<std::string>> List(const std::string& path) override;
  StatusOr<bool> Exists(const std::string& path) override;
  StatusOr<uint64_t> FileSize(const std::string& path) override;
  StatusOr<std::unique_ptr<FileLock>> Lock(const std::string& path,
                                           const std::string& note) override;
  std::string Identity() override { return lower_->Identity(); }
  Status Fence(const std::string& identity, const std::string& lock_path) override;
  StatusOr<std::string> Kind(const std::string& path) override { return lower_->Kind(path); }

 private:
  class UpperFile;
  class GuardedFile;
  struct Gate {
    // True: every change fails with the error `why`, which is set once, before `shut`.
    std::atomic<bool> shut{false};
    std::atomic<bool> refused{false};
    Status why;
    Status Check();
  };
  // What a name stands for: a path in the lower file system (`lower`, which differs from the name
  // after a rename), a file in memory (`upper`), or, with both empty, a directory created here.
  struct Place {
    std::string lower;
    std::shared_ptr<UpperFile> upper;

    bool IsNewDirectory() const { return lower.empty() && upper == nullptr; }
  };

  // nullopt: the name does not exist.
  StatusOr<std::optional<Place>> Find(const std::string& path) REQUIRES(mutex_);
  // Like Find, but kNotFound with the operation `wanted` when the name does not exist.
  StatusOr<Place> Get(const char* wanted, const std::string& path) REQUIRES(mutex_);
  Status CheckParent(const char* wanted, const std::string& path) REQUIRES(mutex_);
  Status CheckFree(const char* wanted, const std::string& path) REQUIRES(mutex_);
  StatusOr<std::vector<std::string>> NamesIn(const std::string& path) REQUIRES(mutex_);
  Status Move(const std::string& source, const std::string& target) REQUIRES(mutex_);
  std::shared_ptr<UpperFile> NewFile(const std::string& path) REQUIRES(mutex_);

  FileSystem* const lower_;
  MemoryFileSystem upper_;
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();  // a gate that open files share
  Mutex mutex_;  // also held during calls of `lower_` that look up names
  // The names that changed relative to `lower_`; nullopt: removed.
  std::map<std::string, std::optional<Place>> changed_ GUARDED_BY(mutex_);
  uint64_t files_made_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::engine
