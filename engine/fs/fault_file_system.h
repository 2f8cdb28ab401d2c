// A file system that injects faults by rule and counts its calls, so that a test can fail the n-th
// call for n = 1, 2, ... until a run makes fewer than n calls. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "engine/fs/fault_rule.h"
#include "engine/fs/file_system.h"
#include "engine/fs/patch_file.h"

namespace sippar::engine {

// Rules are tried in the order in which they were added. The first rule that hits decides the
// outcome, except for delays, which add up.
class FaultFileSystem final : public FileSystem, public PatchFileMaker {
 public:
  explicit FaultFileSystem(FileSystem* base) : base_(base) {}

  void AddRule(const FaultRule& rule);
  void ClearRules();
  uint64_t calls() const;
  uint64_t faults() const;  // faults injected so far
  // The chooser runs at every call, before the rules and without locks: a simulation decides here
  // what its disk does. An error becomes the fault of this call; *effect, if not null, selects its
  // kind (kFail when left unchanged).
  using Chooser = std::function<Status(const char* operation, const std::string& path,
                                       FaultRule::Effect* effect)>;
  void OnCall(Chooser chooser) { on_call_ = std::move(chooser); }
  // From now on Kind returns `kind` for every path; "": that of the base.
  void SetKind(std::string kind) { kind_ = std::move(kind); }
  // `action` runs after each successful Sync, SyncDir or SyncFile, without locks: at these moments
  // a crash test clones the disk. A sync that is under way at this call may still run the
  // previous action.
  void OnSync(std::function<void()> action) EXCLUDES(mutex_);

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
  Status Fence(const std::string& identity, const std::string& lock_path) override;
  StatusOr<std::string> Kind(const std::string& path) override;

 private:
  class FaultyAppendFile;
  class FaultyPatchFile;
  class FaultyRandomFile;
  struct Counted {
    FaultRule rule;
    uint64_t seen = 0;
  };
  // Returns the fault for this call, OK when there is none; *effect receives its kind.
  Status Check(const char* operation, const std::string& path, FaultRule::Effect* effect = nullptr);
  // Runs `action`, or returns the fault instead. A torn fault runs `action` but still fails.
  Status Carry(const char* operation, const std::string& path,
               const std::function<Status()>& action);
  Status Decide(const char* operation, const std::string& path, FaultRule::Effect* effect,
                int64_t* delay_ms);
  void RunOnSync() EXCLUDES(mutex_);

  FileSystem* base_;
  mutable Mutex mutex_;
  std::vector<Counted> rules_ GUARDED_BY(mutex_);
  uint64_t calls_ GUARDED_BY(mutex_) = 0;
  uint64_t faults_ GUARDED_BY(mutex_) = 0;
  std::function<void()> on_sync_ GUARDED_BY(mutex_);
  std::string kind_;
  Chooser on_call_;
};

}  // namespace sippar::engine
