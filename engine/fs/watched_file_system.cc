// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/watched_file_system.h"

#include <utility>

namespace sippar::engine {
namespace {

using Call = CallWatch::Call;

class WatchedAppendFile final : public AppendFile {
 public:
  WatchedAppendFile(CallWatch* watch, std::string path, std::unique_ptr<AppendFile> base)
      : watch_(watch), path_(std::move(path)), base_(std::move(base)) {}
  // The destructor of the base closes a file that was not closed.
  ~WatchedAppendFile() override {
    const Call call(watch_, "close", path_);
    base_.reset();
  }

  Status Append(std::string_view bytes) override {
    const Call call(watch_, "write", path_);
    return base_->Append(bytes);
  }
  Status Sync() override {
    const Call call(watch_, "sync", path_);
    return base_->Sync();
  }
  Status Close() override {
    const Call call(watch_, "close", path_);
    return base_->Close();
  }
  uint64_t size() const override { return base_->size(); }
  void Reserve(uint64_t bytes, bool rarely_synced) override {
    const Call call(watch_, "reserve", path_);
    base_->Reserve(bytes, rarely_synced);
  }

 private:
  CallWatch* const watch_;
  const std::string path_;
  std::unique_ptr<AppendFile> base_;
};

class WatchedRandomFile final : public RandomFile {
 public:
  WatchedRandomFile(CallWatch* watch, std::string path, std::unique_ptr<RandomFile> base)
      : watch_(watch), path_(std::move(path)), base_(std::move(base)) {}

  Status Read(uint64_t offset, size_t size, std::string* out) const override {
    const Call call(watch_, "read", path_);
    return base_->Read(offset, size, out);
  }
  uint64_t size() const override { return base_->size(); }

 private:
  CallWatch* const watch_;
  const std::string path_;
  const std::unique_ptr<RandomFile> base_;
};

class WatchedPatchFile final : public PatchFile {
 public:
  WatchedPatchFile(CallWatch* watch, std::string path, std::unique_ptr<PatchFile> base)
      : watch_(watch), path_(std::move(path)), base_(std::move(base)) {}

  Status Write(uint64_t offset, std::string_view bytes) override {
    const Call call(watch_, "write", path_);
    return base_->Write(offset, bytes);
  }
  Status Sync() override {
    const Call call(watch_, "sync", path_);
    return base_->Sync();
  }

 private:
  CallWatch* const watch_;
  const std::string path_;
  const std::unique_ptr<PatchFile> base_;
};

}  // namespace

StatusOr<std::unique_ptr<AppendFile>> WatchedFileSystem::Create(const std::string& path) {
  const Call call(&watch_, "create", path);
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> base, base_->Create(path));
  return std::unique_ptr<AppendFile>(new WatchedAppendFile(&watch_, path, std::move(base)));
}

StatusOr<std::unique_ptr<PatchFile>> WatchedFileSystem::OpenPatch(const std::string& path) {
  auto* maker = dynamic_cast<PatchFileMaker*>(base_.get());
  if (maker == nullptr) {
    return Unimplemented(
        path +
        ": this program's wrapper of the file system cannot change it in place; report this");
  }
  const Call call(&watch_, "open", path);
  ASSIGN_OR_RETURN(std::unique_ptr<PatchFile> base, maker->OpenPatch(path));
  return std::unique_ptr<PatchFile>(new WatchedPatchFile(&watch_, path, std::move(base)));
}

StatusOr<std::unique_ptr<RandomFile>> WatchedFileSystem::OpenRandom(const std::string& path) {
  const Call call(&watch_, "open", path);
  ASSIGN_OR_RETURN(std::unique_ptr<RandomFile> base, base_->OpenRandom(path));
  return std::unique_ptr<RandomFile>(new WatchedRandomFile(&watch_, path, std::move(base)));
}

Status WatchedFileSystem::Rename(const std::string& source, const std::string& target) {
  const Call call(&watch_, "rename", source);
  return base_->Rename(source, target);
}

Status WatchedFileSystem::RenameNew(const std::string& source, const std::string& target) {
  const Call call(&watch_, "rename", source);
  return base_->RenameNew(source, target);
}

Status WatchedFileSystem::Link(const std::string& source, const std::string& target) {
  const Call call(&watch_, "link", source);
  return base_->Link(source, target);
}

Status WatchedFileSystem::Remove(const std::string& path) {
  const Call call(&watch_, "remove", path);
  return base_->Remove(path);
}

Status WatchedFileSystem::RemoveDir(const std::string& path) {
  const Call call(&watch_, "remove directory", path);
  return base_->RemoveDir(path);
}

Status WatchedFileSystem::CreateDir(const std::string& path) {
  const Call call(&watch_, "create directory", path);
  return base_->CreateDir(path);
}

Status WatchedFileSystem::SyncDir(const std::string& path) {
  const Call call(&watch_, "sync directory", path);
  return base_->SyncDir(path);
}

Status WatchedFileSystem::SyncFile(const std::string& path) {
  const Call call(&watch_, "sync", path);
  return base_->SyncFile(path);
}

StatusOr<std::vector<std::string>> WatchedFileSystem::List(const std::string& path) {
  const Call call(&watch_, "list", path);
  return base_->List(path);
}

StatusOr<bool> WatchedFileSystem::Exists(const std::string& path) {
  const Call call(&watch_, "stat", path);
  return base_->Exists(path);
}

StatusOr<uint64_t> WatchedFileSystem::FileSize(const std::string& path) {
  const Call call(&watch_, "stat", path);
  return base_->FileSize(path);
}

StatusOr<std::unique_ptr<FileLock>> WatchedFileSystem::Lock(const std::string& path,
                                                            const std::string& note) {
  const Call call(&watch_, "lock", path);
  return base_->Lock(path, note);
}

StatusOr<std::string> WatchedFileSystem::Kind(const std::string& path) {
  const Call call(&watch_, "statfs", path);
  return base_->Kind(path);
}

}  // namespace sippar::engine
