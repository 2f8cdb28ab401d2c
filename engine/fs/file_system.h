// The interface of all file systems that the engine runs on. No other code opens a file.
//
// What survives a power loss: the bytes of a file up to its last successful Sync(), and a directory
// entry (creation, rename, removal) once SyncDir() of its directory returned OK. Newer bytes and
// entries may survive, survive in part, or be lost. After a failed Sync() a file is never written
// or synced again: the kernel may have dropped the pages and would report OK (FAULTS.md D9).
//
// Implementations: posix (NewPosixFileSystem), memory with crash clones (MemoryFileSystem), an
// overlay (OverlayFileSystem), one that injects faults (FaultFileSystem), and one that tells of
// calls that do not return (WatchedFileSystem). All are thread safe. One thread at a time uses a
// file object, except RandomFile, whose Read may run in many threads. Errors: kNotFound,
// kAlreadyExists, DiskFull (also a quota), kPermissionDenied (also a file system mounted
// read-only), kUnavailable (EIO); the message names the operation, the path and the cause.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace sippar::engine {

// A file that grows at its end. The caller calls Append and Sync in any order, then Close once.
class AppendFile {
 public:
  virtual ~AppendFile() = default;
  [[nodiscard]] virtual Status Append(std::string_view bytes) = 0;
  // When this returns OK, all bytes appended so far are durable.
  [[nodiscard]] virtual Status Sync() = 0;
  // Must be called once, even after an error. The destructor closes too but cannot report an error.
  [[nodiscard]] virtual Status Close() = 0;
  virtual uint64_t size() const = 0;  // bytes appended so far
  // Reserves room for the next `bytes`, so that a sync need not also write the file's length. With
  // `rarely_synced`, appends may be copied to a mapping of the file: that costs less than a system
  // call per append, but makes a sync cost more. Best effort and only for speed. A crash before
  // Close may leave zeros after the content.
  virtual void Reserve(uint64_t bytes, bool rarely_synced) {
    static_cast<void>(bytes), static_cast<void>(rarely_synced);
  }
};

class RandomFile {
 public:
  virtual ~RandomFile() = default;
  // Reads exactly `size` bytes at `offset` into `out` (resized); kDataLoss when the file ends
  // earlier.
  [[nodiscard]] virtual Status Read(uint64_t offset, size_t size, std::string* out) const = 0;
  virtual uint64_t size() const = 0;  // the file's size when it was opened
};

// A lock on a file, held until the object is destroyed or the process ends.
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
  // Renames atomically within one directory and replaces the file `target`. A directory moves with
  // everything below it, and its new name must be free. Durable after SyncDir.
  [[nodiscard]] virtual Status Rename(const std::string& source, const std::string& target) = 0;
  // Like Rename, but never replaces: kAlreadyExists, with nothing done, when `target` exists.
  [[nodiscard]] virtual Status RenameNew(const std::string& source, const std::string& target) = 0;
  // Gives the file a second name, in any directory; durable after SyncDir of that directory. The
  // bytes are freed with the last name. kAlreadyExists when `target` exists.
  [[nodiscard]] virtual Status Link(const std::string& source, const std::string& target) = 0;
  [[nodiscard]] virtual Status Remove(const std::string& path) = 0;  // kNotFound if absent
  // The directory must be empty.
  [[nodiscard]] virtual Status RemoveDir(const std::string& path) = 0;
  // OK when `path` is a directory already. The parent must exist.
  [[nodiscard]] virtual Status CreateDir(const std::string& path) = 0;
  [[nodiscard]] virtual Status SyncDir(const std::string& path) = 0;
  // Makes durable what an earlier process wrote to the file. OK proves nothing if an earlier sync
  // of the file failed: an operating system may report such an error once and then treat the bytes
  // as written.
  [[nodiscard]] virtual Status SyncFile(const std::string& path) = 0;
  // Names (not paths) in the directory, sorted, without "." and "..".
  [[nodiscard]] virtual StatusOr<std::vector<std::string>> List(const std::string& path) = 0;
  [[nodiscard]] virtual StatusOr<bool> Exists(const std::string& path) = 0;
  [[nodiscard]] virtual StatusOr<uint64_t> FileSize(const std::string& path) = 0;
  // Takes an exclusive lock and creates the file if needed. kUnavailable, naming `path`, when
  // another process (or another handle of this one) holds it; no other failure has this code
  // (kInternal: the disk does not answer). The holder writes `note` (pid, host) into the file, so
  // that other processes can report it.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<FileLock>> Lock(const std::string& path,
                                                                 const std::string& note) = 0;

  // Names this process among all processes that use the file system, now and later: one line of
  // text, which another process can pass to Fence. "": the process cannot be named.
  virtual std::string Identity() = 0;
  // Makes sure that a process writes nothing any more. `lock_path` is a file on which that process,
  // and no other, has taken a Lock, with a note that contains `identity`, its Identity(). OK: the
  // lock is free, so the process has ended. A process that still holds the lock is killed if the
  // file system can prove that it is the one of `identity`; otherwise kUnavailable, and the caller
  // has to wait for the process's end. Never kills the calling process. kNotFound: there is no
  // file `lock_path`. May block for up to 4 s.
  [[nodiscard]] virtual Status Fence(const std::string& identity, const std::string& lock_path) = 0;
  // The kind of the file system that has `path`: "nfs", "smb", "9p", "afs", "ceph", "fuse", or
  // "other".
  [[nodiscard]] virtual StatusOr<std::string> Kind(const std::string& path) = 0;
};

std::unique_ptr<FileSystem> NewPosixFileSystem();

// The whole file as a string. kResourceExhausted when it is larger than `size_max`.
[[nodiscard]] StatusOr<std::string> ReadFile(FileSystem* fs, const std::string& path,
                                             uint64_t size_max = 1u << 30);
// Replaces the file atomically: writes `path`.tmp, syncs it, renames it, syncs the directory. A
// crash leaves the old or the new content, never a mixture.
[[nodiscard]] Status ReplaceFile(FileSystem* fs, const std::string& path, std::string_view content);
// Completes a file that several processes may write at the same time, each under its own temporary
// name: syncs and closes it, renames it to `path` unless that exists, and syncs the directory.
// `temporary` is removed in every case. kAlreadyExists: another process published its file first,
// and that file is durable under `path`.
[[nodiscard]] Status PublishFile(FileSystem* fs, AppendFile* file, const std::string& temporary,
                                 const std::string& path);

}  // namespace sippar::engine
