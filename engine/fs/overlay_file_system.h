// A file system over one that cannot be written, because it is full or read-only: every change
// stays in memory and is gone with this object. So a directory whose logs want to be recovered is
// opened for reading on a disk that takes nothing (FAULTS.md D6, D19).
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

// Of `lower` it only reads, lists and locks: a file that is there is locked there, so the lock
// counts among processes. Syncs succeed and make nothing durable.
class OverlayFileSystem final : public FileSystem {
 public:
  // At most `capacity` bytes of changes, then kResourceExhausted. `lower` outlives this.
  OverlayFileSystem(FileSystem* lower, uint64_t capacity) : lower_(lower), upper_(capacity) {}

  // From here on every change gets `why`, as it would from the disk.
  void Refuse(const Status& why);
  // A change was asked for since.
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

 private:
  class UpperFile;
  class GuardedFile;
  struct Gate {
    std::atomic<bool> shut{false};  // `why` does not change any more
    std::atomic<bool> refused{false};
    Status why;
    Status Check();
  };
  // What a name stands for. `lower`: a path there, which may be another one after a rename; else
  // `upper`: a file in memory; else a directory that was made here.
  struct Place {
    std::string lower;
    std::shared_ptr<UpperFile> upper;

    bool IsNewDirectory() const { return lower.empty() && upper == nullptr; }
  };

  // nullopt: nothing has that name.
  StatusOr<std::optional<Place>> Find(const std::string& path) REQUIRES(mutex_);
  // As Find; kNotFound, which says what was wanted of it.
  StatusOr<Place> Get(const char* wanted, const std::string& path) REQUIRES(mutex_);
  Status CheckParent(const char* wanted, const std::string& path) REQUIRES(mutex_);
  Status CheckFree(const char* wanted, const std::string& path) REQUIRES(mutex_);
  StatusOr<std::vector<std::string>> NamesIn(const std::string& path) REQUIRES(mutex_);
  Status Move(const std::string& source, const std::string& target) REQUIRES(mutex_);
  std::shared_ptr<UpperFile> NewFile(const std::string& path) REQUIRES(mutex_);

  FileSystem* const lower_;
  MemoryFileSystem upper_;
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();  // of files as well
  Mutex mutex_;  // held over calls that ask `lower_` for names
  // Names that are not what `lower_` has there; nullopt: removed.
  std::map<std::string, std::optional<Place>> changed_ GUARDED_BY(mutex_);
  uint64_t files_made_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::engine
