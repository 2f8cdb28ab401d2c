// The locks of the memory file system, and the processes that hold them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/fs/memory_file_system.h"
#include "engine/fs/memory_shared.h"

namespace sippar::engine {

using File = MemoryDisk::File;
using Entries = MemoryDisk::Entries;

class MemoryFileSystem::MemoryLock final : public FileLock {
 public:
  MemoryLock(std::shared_ptr<Shared> shared, std::string path)
      : shared_(std::move(shared)), path_(std::move(path)) {}
  ~MemoryLock() override {
    MutexLock lock(&shared_->mutex);
    shared_->locked.erase(path_);
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::string path_;
};

StatusOr<std::unique_ptr<FileLock>> MemoryFileSystem::Lock(const std::string& path,
                                                           const std::string&) {
  MutexLock lock(&shared_->mutex);
  if (!shared_->disk.IsDirectory(MemoryDisk::ParentOf(path))) {
    return NotFound(fmt::format("lock {}: no such directory", path));
  }
  if (!shared_->locked.emplace(path, machine_).second) {
    return Unavailable(fmt::format("{} is held by another process (pid of this test)", path));
  }
  if (!shared_->disk.entries().contains(path)) {
    auto file = std::make_shared<File>();
    file->machine = machine_;
    shared_->disk.Change(MemoryDisk::ParentOf(path), machine_,
                         [path, file](Entries* entries) { (*entries)[path] = file; });
  }
  return std::unique_ptr<FileLock>(new MemoryLock(shared_, path));
}

void MemoryFileSystem::OnFence(EndProcess end_process) {
  shared_->end_process = std::move(end_process);
}

std::string MemoryFileSystem::Identity() {
  MutexLock lock(&shared_->mutex);
  return shared_->IdentityOf(machine_);
}

Status MemoryFileSystem::Fence(const std::string& identity, const std::string& lock_path) {
  for (bool is_asked = false;; is_asked = true) {
    uint32_t holder = 0;
    {
      MutexLock lock(&shared_->mutex);
      if (!shared_->disk.entries().contains(lock_path)) {
        return NotFound(fmt::format("lock {}: no such file", lock_path));
      }
      auto held = shared_->locked.find(lock_path);
      if (held == shared_->locked.end()) return OkStatus();
      holder = held->second;
      const bool may_end = shared_->end_process != nullptr && holder != machine_ &&
                           shared_->IdentityOf(holder) == identity;
      if (!may_end || is_asked) {
        return Unavailable(
            fmt::format("process {}: it cannot be ended from here; wait for its end", identity));
      }
    }
    shared_->end_process(holder, identity);
  }
}

StatusOr<std::string> MemoryFileSystem::Kind(const std::string&) { return std::string("other"); }

}  // namespace sippar::engine
