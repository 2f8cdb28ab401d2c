// A file system in memory that simulates power losses, for tests and the simulation. Bytes are
// durable up to the last Sync of their file, directory entries up to the last SyncDir of their
// directory. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/base/thread.h"
#include "engine/fs/file_system.h"
#include "engine/fs/patch_file.h"

namespace sippar::engine {

class MemoryFileSystem final : public FileSystem, public PatchFileMaker {
 public:
  // All files together hold at most `capacity` bytes; more fails with DiskFull. 0: no limit.
  explicit MemoryFileSystem(uint64_t capacity = 0);
  ~MemoryFileSystem() override;

  // Returns a copy of the disk as a power loss at this moment would leave it. The copy holds all
  // durable data, a random prefix of each file's newer bytes, in which some pages may be zeros, and
  // a random prefix of each directory's newer changes. The copy has no held locks.
  std::unique_ptr<MemoryFileSystem> CrashClone(Random* random) const;

  // The same files as another machine sees them. As on CephFS, what one machine has written becomes
  // durable as soon as another machine reads it.
  std::unique_ptr<MemoryFileSystem> ForMachine(uint32_t machine) const;
  // Cuts the power of this machine: like CrashClone, but in place, and only for what this machine
  // wrote and locked. Its open files must not be used afterwards. If `random` is null, only the
  // process dies: its locks are released, and everything that it wrote stays.
  void Crash(Random* random);

  // Fence calls `end_process` without locks to end the process of a machine. The function calls
  // Crash for that machine, or does nothing. Without it, Fence ends no process. Set it before
  // threads use the files.
  using EndProcess = std::function<void(uint32_t machine, const std::string& identity)>;
  void OnFence(EndProcess end_process);

  void SetCapacity(uint64_t capacity);
  uint64_t used_bytes() const;
  // XORs one stored byte with `mask`, in the durable image too. The byte must exist.
  void FlipByte(const std::string& path, uint64_t offset, char mask);
  std::vector<std::string> AllFiles() const;  // paths, sorted

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
  // "memory:<machine>.<number of its processes that have crashed>".
  std::string Identity() override;
  Status Fence(const std::string& identity, const std::string& lock_path) override;
  StatusOr<std::string> Kind(const std::string& path) override;

 private:
  struct Shared;
  class MemoryAppendFile;
  class MemoryPatchFile;
  class MemoryRandomFile;
  class MemoryLock;
  MemoryFileSystem(std::shared_ptr<Shared> shared, uint32_t machine);

  std::shared_ptr<Shared> shared_;  // shared with open files, which may outlive the file system
  uint32_t machine_ = 0;
};

}  // namespace sippar::engine
