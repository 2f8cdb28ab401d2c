// The contract of every file system the engine runs on. No other code opens a file.
//
// What survives a crash (power loss): bytes of a file up to its last successful Sync(), and a
// directory entry (creation, rename, removal) once SyncDir() of its directory returned OK. Anything
// newer may be there, partly there, or gone. A failed Sync() ends that file: it is never written or
// synced again (FAULTS.md D9).
//
// Implementations: posix (NewPosixFileSystem), memory with crash clones (MemoryFileSystem), an
// overlay (OverlayFileSystem), one that injects faults (FaultFileSystem). All are thread safe; a
// file object is used by one thread at a time, except RandomFile, whose Read may run in many
// threads at once. Errors: kNotFound, kAlreadyExists, kResourceExhausted (disk full, quota),
// kPermissionDenied (a file system mounted read-only, too), kUnavailable (EIO); the message names
// the operation, the path and the cause. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace sippar::engine {

// Call order: Append* Sync* ... Close.
class AppendFile {
 public:
  virtual ~AppendFile() = default;
  [[nodiscard]] virtual Status Append(std::string_view bytes) = 0;
  // All bytes appended so far are durable when this returns OK.
  [[nodiscard]] virtual Status Sync() = 0;
  // Must be called once, also after an error; the destructor closes but tells nobody.
  [[nodiscard]] virtual Status Close() = 0;
  virtual uint64_t size() const = 0;  // bytes appended so far
  // Makes room for the next `bytes`, so that a sync need not write the file's length as well. With
  // `rarely_synced` they may be copied to a mapping of the file, which costs less than a call, and
  // a sync then costs more. Best effort, only speed; until Close, a crash may leave zeros behind
  // the content.
  virtual void Reserve(uint64_t bytes, bool rarely_synced) {
    static_cast<void>(bytes), static_cast<void>(rarely_synced);
  }
};

class RandomFile {
 public:
  virtual ~RandomFile() = default;
  // Exactly `size` bytes at `offset` into `out` (resized); kDataLoss when the file ends earlier.
  [[nodiscard]] virtual Status Read(uint64_t offset, size_t size, std::string* out) const = 0;
  virtual uint64_t size() const = 0;  // at open
};

// A held lock on a file; released by the destructor or the end of the process.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Creates a file that must not exist (O_EXCL): kAlreadyExists otherwise.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<AppendFile>> Create(const std::string& path) = 0;
  [[nodiscard]] virtual StatusOr<std::unique_ptr<RandomFile>> OpenRandom(
      const std::string& path) = 0;
  // Atomic, within one directory; replaces the file `target`. A directory goes with all below it,
  // to a name that is free. Durable after SyncDir.
  [[nodiscard]] virtual Status Rename(const std::string& source, const std::string& target) = 0;
  // As Rename, but the first wins: kAlreadyExists when `target` is there, and nothing was done.
  [[nodiscard]] virtual Status RenameNew(const std::string& source, const std::string& target) = 0;
  // A second name for the file, in any directory; durable after SyncDir of that one. The bytes go
  // with the last name. kAlreadyExists when `target` is there.
  [[nodiscard]] virtual Status Link(const std::string& source, const std::string& target) = 0;
  [[nodiscard]] virtual Status Remove(const std::string& path) = 0;     // kNotFound if absent
  [[nodiscard]] virtual Status RemoveDir(const std::string& path) = 0;  // must be empty
  // OK when it is a directory already. Parents must exist.
  [[nodiscard]] virtual Status CreateDir(const std::string& path) = 0;
  [[nodiscard]] virtual Status SyncDir(const std::string& path) = 0;
  // What a process that is gone wrote there is durable when this returns OK, if no sync of it had
  // failed: an operating system may tell an error once and take the bytes for written afterwards.
  [[nodiscard]] virtual Status SyncFile(const std::string& path) = 0;
  // Names (not paths) in `path`, sorted, without "." and "..".
  [[nodiscard]] virtual StatusOr<std::vector<std::string>> List(const std::string& path) = 0;
  [[nodiscard]] virtual StatusOr<bool> Exists(const std::string& path) = 0;
  [[nodiscard]] virtual StatusOr<uint64_t> FileSize(const std::string& path) = 0;
  // Exclusive lock; creates the file. kUnavailable, naming `path`, when another process (or another
  // handle of this one) holds it. `note` (pid, host) is written into the file by the winner.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<FileLock>> Lock(const std::string& path,
                                                                 const std::string& note) = 0;
};

std::unique_ptr<FileSystem> NewPosixFileSystem();

// Whole file as a string. kResourceExhausted when larger than `size_max`.
[[nodiscard]] StatusOr<std::string> ReadFile(FileSystem* fs, const std::string& path,
                                             uint64_t size_max = 1u << 30);
// Old or new content after a crash, never a mixture: write `path`.tmp, sync, rename, sync
// directory.
[[nodiscard]] Status ReplaceFile(FileSystem* fs, const std::string& path, std::string_view content);
// The end of a file that several may make at once, each under a name of its own: sync, close, take
// `path` if nobody has it, sync the directory. `temporary` is gone afterwards. kAlreadyExists:
// somebody was first, and his file is durable under this name.
[[nodiscard]] Status PublishFile(FileSystem* fs, AppendFile* file, const std::string& temporary,
                                 const std::string& path);

}  // namespace sippar::engine
