// A file system whose calls are watched, so that the process can end when its disk hangs. Every
// call that may touch the disk is noted in a CallWatch while it runs, also those of the open files.
// What cannot be watched is a page fault in a mapping of a file, except in Append, which is a call.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/fs/call_watch.h"
#include "engine/fs/file_system.h"
#include "engine/fs/patch_file.h"

namespace sippar::engine {

// Outlives its open files.
class WatchedFileSystem final : public FileSystem, public PatchFileMaker {
 public:
  explicit WatchedFileSystem(std::unique_ptr<FileSystem> base) : base_(std::move(base)) {}

  CallWatch* watch() { return &watch_; }

  StatusOr<std::unique_ptr<AppendFile>> Create(const std::string& path) override;
  StatusOr<std::unique_ptr<PatchFile>> OpenPatch(const std::string& path) override;
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
  std::string Identity() override { return base_->Identity(); }
  // Not watched, because it waits for the end of a process.
  Status Fence(const std::string& identity, const std::string& lock_path) override {
    return base_->Fence(identity, lock_path);
  }
  StatusOr<std::string> Kind(const std::string& path) override;

 private:
  const std::unique_ptr<FileSystem> base_;
  CallWatch watch_;
};

}  // namespace sippar::engine
