// The disk of the embedded lock service: one directory, one state file (engine FORMAT.md) for each
// lasting lock file, '/' of its path as '+'; "+LOCK" is held by flock while the service is open and
// freed by the kernel when its process is gone. Body of a state file: bytes path, varint version,
// content. A change writes a temporary file, syncs, renames and syncs the directory, so a crash
// leaves the old file or the new one. Used by one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/fs/file_system.h"

namespace sippar::cluster {

// kUnavailable of an opening says that another process has the directory, which the flock alone
// knows: a disk that does not answer (kUnavailable of the file system) is kInternal there.
[[nodiscard]] Status NotHeld(const Status& status);

class LockDirectory {
 public:
  struct StoredFile {
    std::string content;
    uint64_t version = 0;
    Status damage;  // kDataLoss: neither content nor version is known
  };
  using StoredFiles = std::map<std::string, StoredFile>;  // by path
  // Where the lock file `path` is kept.
  static std::string FileOf(const std::string& directory, const std::string& path);

  // Takes the directory, makes it when it is missing (not its parent), and reads all files.
  // kUnavailable naming the holder when it is open elsewhere; kInternal when the disk does not
  // answer; kFailedPrecondition when something in it is no lock file.
  [[nodiscard]] static StatusOr<std::unique_ptr<LockDirectory>> Open(engine::FileSystem* fs,
                                                                     const std::string& directory,
                                                                     StoredFiles* files);

  // Durable when OK. After kResourceExhausted and other failures before the rename the old file
  // stands. A failure from the rename on leaves the disk unknown: this call and all later ones are
  // kUnavailable, until the directory is opened anew and what is there is read.
  [[nodiscard]] Status Put(const std::string& path, std::string_view content, uint64_t version);
  [[nodiscard]] Status Remove(const std::string& path);  // as Put; the file exists

 private:
  LockDirectory(engine::FileSystem* fs, std::string directory,
                std::unique_ptr<engine::FileLock> lock)
      : fs_(fs), directory_(std::move(directory)), lock_(std::move(lock)) {}
  Status Load(StoredFiles* files);
  Status Settle(const Status& changed);

  engine::FileSystem* const fs_;
  const std::string directory_;
  std::unique_ptr<engine::FileLock> lock_;
  Status broken_;  // once not OK, for good
};

}  // namespace sippar::cluster
