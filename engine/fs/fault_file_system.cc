// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/fault_file_system.h"

#include <fmt/format.h>

#include "engine/base/clock.h"

namespace sippar::engine {

Status FaultFileSystem::Check(const char* operation, const std::string& path,
                              FaultRule::Effect* effect) {
  // Both the chooser and the delay run without the lock: they may take long, or use this file
  // system.
  if (on_call_) {
    Status chosen = on_call_(operation, path, effect);
    if (!chosen.ok()) {
      MutexLock lock(&mutex_);
      ++faults_;
      return chosen;
    }
  }
  int64_t delay_ms = 0;
  Status fault = Decide(operation, path, effect, &delay_ms);
  if (delay_ms > 0) Clock::System()->SleepMicros(delay_ms * 1000);
  return fault;
}

Status FaultFileSystem::Decide(const char* operation, const std::string& path,
                               FaultRule::Effect* effect, int64_t* delay_ms) {
  MutexLock lock(&mutex_);
  ++calls_;
  for (Counted& counted : rules_) {
    if (!counted.rule.Matches(operation, path)) continue;
    ++counted.seen;
    bool hit = counted.rule.and_later ? counted.seen >= counted.rule.nth
                                      : counted.seen == counted.rule.nth;
    if (!hit) continue;
    ++faults_;
    if (counted.rule.effect == FaultRule::kDelay) {
      // A delay does not decide the outcome: later rules may add another delay, or fail the call.
      *delay_ms += counted.rule.delay_ms;
      continue;
    }
    if (effect != nullptr) *effect = counted.rule.effect;
    std::string text =
        fmt::format("{} {}: injected by '{}'", operation, path, counted.rule.Print());
    if (counted.rule.effect == FaultRule::kFull) return DiskFull(text);
    if (counted.rule.effect == FaultRule::kDeny) return PermissionDenied(text);
    return Unavailable(text);
  }
  return OkStatus();
}

Status FaultFileSystem::Carry(const char* operation, const std::string& path,
                              const std::function<Status()>& action) {
  FaultRule::Effect effect{};
  Status fault = Check(operation, path, &effect);
  if (fault.ok()) return action();
  if (effect == FaultRule::kLie) return OkStatus();
  if (effect == FaultRule::kTorn) (void)action();
  return fault;
}

class FaultFileSystem::FaultyAppendFile final : public AppendFile {
 public:
  FaultyAppendFile(FaultFileSystem* owner, std::string path, std::unique_ptr<AppendFile> base)
      : owner_(owner), path_(std::move(path)), base_(std::move(base)) {}

  Status Append(std::string_view bytes) override {
    FaultRule::Effect effect{};
    Status fault = owner_->Check("write", path_, &effect);
    if (fault.ok()) return base_->Append(bytes);
    if (effect == FaultRule::kFlip) return base_->Append(Flipped(bytes));
    if (effect == FaultRule::kTorn) (void)base_->Append(bytes.substr(0, bytes.size() / 2));
    return fault;
  }
  Status Sync() override {
    // After a failed sync it is unknown which bytes are durable, so an injected failure makes no
    // byte durable (FAULTS.md D9, D10). A torn sync makes all bytes durable, but reports a failure.
    RETURN_IF_ERROR(owner_->Carry("sync", path_, [this] { return base_->Sync(); }));
    owner_->RunOnSync();
    return OkStatus();
  }
  Status Close() override {
    Status fault = owner_->Check("close", path_);
    // Closes the file in any case, so that a fault leaks no descriptor.
    Status closed = base_->Close();
    return fault.ok() ? closed : fault;
  }
  uint64_t size() const override { return base_->size(); }
  void Reserve(uint64_t bytes, bool rarely_synced) override {
    base_->Reserve(bytes, rarely_synced);
  }

 private:
  static std::string Flipped(std::string_view bytes) {
    std::string flipped(bytes);
    if (!flipped.empty()) flipped[flipped.size() / 2] ^= 1;
    return flipped;
  }

  FaultFileSystem* owner_;
  std::string path_;
  std::unique_ptr<AppendFile> base_;
};

// Operations on patched files are called "patch" and "patch-sync", so that rules which count a
// log's writes and syncs do not count them.
class FaultFileSystem::FaultyPatchFile final : public PatchFile {
 public:
  FaultyPatchFile(FaultFileSystem* owner, std::string path, std::unique_ptr<PatchFile> base)
      : owner_(owner), path_(std::move(path)), base_(std::move(base)) {}

  Status Write(uint64_t offset, std::string_view bytes) override {
    return owner_->Carry("patch", path_, [&] { return base_->Write(offset, bytes); });
  }
  Status Sync() override {
    RETURN_IF_ERROR(owner_->Carry("patch-sync", path_, [this] { return base_->Sync(); }));
    owner_->RunOnSync();
    return OkStatus();
  }

 private:
  FaultFileSystem* owner_;
  std::string path_;
  std::unique_ptr<PatchFile> base_;
};

class FaultFileSystem::FaultyRandomFile final : public RandomFile {
 public:
  FaultyRandomFile(FaultFileSystem* owner, std::string path, std::unique_ptr<RandomFile> base)
      : owner_(owner), path_(std::move(path)), base_(std::move(base)) {}
  Status Read(uint64_t offset, size_t size, std::string* out) const override {
    FaultRule::Effect effect{};
    Status fault = owner_->Check("read", path_, &effect);
    if (!fault.ok() && effect != FaultRule::kFlip) return fault;
    RETURN_IF_ERROR(base_->Read(offset, size, out));
    if (fault.ok() || size == 0) return OkStatus();
    // Which byte is flipped depends only on offset and size, so that a failing test can be
    // repeated.
    char& hit = (*out)[offset * 31 % size];
    hit = static_cast<char>(hit ^ 0x10);
    return OkStatus();
  }
  uint64_t size() const override { return base_->size(); }

 private:
  FaultFileSystem* owner_;
  std::string path_;
  std::unique_ptr<RandomFile> base_;
};

void FaultFileSystem::AddRule(const FaultRule& rule) {
  MutexLock lock(&mutex_);
  rules_.push_back({rule, 0});
}

void FaultFileSystem::ClearRules() {
  MutexLock lock(&mutex_);
  rules_.clear();
}

void FaultFileSystem::OnSync(std::function<void()> action) {
  MutexLock lock(&mutex_);
  on_sync_ = std::move(action);
}

void FaultFileSystem::RunOnSync() {
  std::function<void()> action;
  {
    MutexLock lock(&mutex_);
    action = on_sync_;
  }
  if (action) action();
}

uint64_t FaultFileSystem::calls() const {
  MutexLock lock(&mutex_);
  return calls_;
}

uint64_t FaultFileSystem::faults() const {
  MutexLock lock(&mutex_);
  return faults_;
}

StatusOr<std::unique_ptr<AppendFile>> FaultFileSystem::Create(const std::string& path) {
  std::unique_ptr<AppendFile> base;
  RETURN_IF_ERROR(Carry("create", path, [&]() -> Status {
    ASSIGN_OR_RETURN(base, base_->Create(path));
    return OkStatus();
  }));
  return std::unique_ptr<AppendFile>(new FaultyAppendFile(this, path, std::move(base)));
}

StatusOr<std::unique_ptr<RandomFile>> FaultFileSystem::OpenRandom(const std::string& path) {
  RETURN_IF_ERROR(Check("open", path));
  ASSIGN_OR_RETURN(std::unique_ptr<RandomFile> base, base_->OpenRandom(path));
  return std::unique_ptr<RandomFile>(new FaultyRandomFile(this, path, std::move(base)));
}

StatusOr<std::unique_ptr<PatchFile>> FaultFileSystem::OpenPatch(const std::string& path) {
  auto* maker = dynamic_cast<PatchFileMaker*>(base_);
  if (maker == nullptr) {
    return Unimplemented(
        path +
        ": this program's wrapper of the file system cannot change it in place; report this");
  }
  std::unique_ptr<PatchFile> base;
  RETURN_IF_ERROR(Carry("patch-open", path, [&]() -> Status {
    ASSIGN_OR_RETURN(base, maker->OpenPatch(path));
    return OkStatus();
  }));
  return std::unique_ptr<PatchFile>(new FaultyPatchFile(this, path, std::move(base)));
}

Status FaultFileSystem::Rename(const std::string& source, const std::string& target) {
  return Carry("rename", target, [&] { return base_->Rename(source, target); });
}

Status FaultFileSystem::RenameNew(const std::string& source, const std::string& target) {
  return Carry("rename", target, [&] { return base_->RenameNew(source, target); });
}

Status FaultFileSystem::Link(const std::string& source, const std::string& target) {
  return Carry("link", target, [&] { return base_->Link(source, target); });
}

Status FaultFileSystem::Remove(const std::string& path) {
  return Carry("remove", path, [&] { return base_->Remove(path); });
}

Status FaultFileSystem::RemoveDir(const std::string& path) {
  return Carry("remove", path, [&] { return base_->RemoveDir(path); });
}

Status FaultFileSystem::CreateDir(const std::string& path) {
  return Carry("mkdir", path, [&] { return base_->CreateDir(path); });
}

Status FaultFileSystem::SyncDir(const std::string& path) {
  RETURN_IF_ERROR(Carry("syncdir", path, [&] { return base_->SyncDir(path); }));
  RunOnSync();
  return OkStatus();
}

Status FaultFileSystem::SyncFile(const std::string& path) {
  RETURN_IF_ERROR(Carry("sync", path, [&] { return base_->SyncFile(path); }));
  RunOnSync();
  return OkStatus();
}

StatusOr<std::vector<std::string>> FaultFileSystem::List(const std::string& path) {
  RETURN_IF_ERROR(Check("list", path));
  return base_->List(path);
}

StatusOr<bool> FaultFileSystem::Exists(const std::string& path) {
  RETURN_IF_ERROR(Check("stat", path));
  return base_->Exists(path);
}

StatusOr<uint64_t> FaultFileSystem::FileSize(const std::string& path) {
  RETURN_IF_ERROR(Check("stat", path));
  return base_->FileSize(path);
}

StatusOr<std::unique_ptr<FileLock>> FaultFileSystem::Lock(const std::string& path,
                                                          const std::string& note) {
  Status fault = Check("lock", path);
  // A fault must not look like a lock that another process holds (file_system.h).
  if (fault.code() == StatusCode::kUnavailable) return Internal(std::string(MessageOf(fault)));
  RETURN_IF_ERROR(fault);
  return base_->Lock(path, note);
}

Status FaultFileSystem::Fence(const std::string& identity, const std::string& lock_path) {
  return Carry("fence", lock_path, [&] { return base_->Fence(identity, lock_path); });
}

StatusOr<std::string> FaultFileSystem::Kind(const std::string& path) {
  RETURN_IF_ERROR(Check("statfs", path));
  return kind_.empty() ? base_->Kind(path) : StatusOr<std::string>(kind_);
}

}  // namespace sippar::engine
