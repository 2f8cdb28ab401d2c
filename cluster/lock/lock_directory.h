// The disk of the embedded lock service: a directory with one state file (engine/FORMAT.md) for
// each lock file that is not ephemeral. The name of a state file is the lock file's path with '+'
// for '/'; its body is `bytes` path, varint version, content. While the service is open, it holds a
// flock on the file "+LOCK", which the kernel frees when the process ends. Put writes a temporary
// file, syncs it, renames it and syncs the directory, so a crash leaves the old file or the new
// one. A LockDirectory is used by one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/fs/file_system.h"

namespace sippar::cluster {

// Converts kUnavailable to kInternal. In Open, only a held flock may be reported as kUnavailable
// ("another process has the directory"), so a file system that does not answer must not use that
// code.
[[nodiscard]] Status NotHeld(const Status& status);

class LockDirectory {
 public:
  struct StoredFile {
    std::string content;
    uint64_t version = 0;
    Status damage;  // kDataLoss: content and version are unknown
  };
  using StoredFiles = std::map<std::string, StoredFile>;  // files by path
  // Path of the state file of the lock file `path`.
  static std::string FileOf(const std::string& directory, const std::string& path);

  // Makes the directory if it is missing (but not its parent), locks it, removes temporary files
  // that a crash has left, and reads all others. kUnavailable: another process, named in the
  // message, has the directory open; kInternal: the disk does not answer; kFailedPrecondition: the
  // directory contains something that is no lock file.
  [[nodiscard]] static StatusOr<std::unique_ptr<LockDirectory>> Open(engine::FileSystem* fs,
                                                                     const std::string& directory,
                                                                     StoredFiles* files);

  // Durable when OK. After kResourceExhausted or another failure before the rename, the old file is
  // intact. After a failure of the rename or a later step the content of the disk is unknown: this
  // call and all later ones return kUnavailable, until the directory is opened again and read.
  [[nodiscard]] Status Put(const std::string& path, std::string_view content, uint64_t version);
  // Durable when OK; the file must exist. After any failure the content of the disk is unknown,
  // with the same consequence as in Put.
  [[nodiscard]] Status Remove(const std::string& path);

 private:
  LockDirectory(engine::FileSystem* fs, std::string directory,
                std::unique_ptr<engine::FileLock> lock)
      : fs_(fs), directory_(std::move(directory)), lock_(std::move(lock)) {}
  Status Load(StoredFiles* files);
  Status Settle(const Status& changed);

  engine::FileSystem* const fs_;
  const std::string directory_;
  std::unique_ptr<engine::FileLock> lock_;
  Status broken_;  // once set, never cleared: see Put
};

}  // namespace sippar::cluster
