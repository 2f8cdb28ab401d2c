// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/memory_file_system.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/check.h"
#include "engine/fs/memory_disk.h"
#include "engine/fs/memory_shared.h"

namespace sippar::engine {

using File = MemoryDisk::File;
using Entries = MemoryDisk::Entries;

class MemoryFileSystem::MemoryAppendFile final : public AppendFile {
 public:
  MemoryAppendFile(std::shared_ptr<Shared> shared, std::shared_ptr<File> file, std::string path)
      : shared_(std::move(shared)), file_(std::move(file)), path_(std::move(path)) {}

  Status Append(std::string_view bytes) override {
    MutexLock lock(&shared_->mutex);
    uint64_t room = shared_->capacity == 0              ? bytes.size()
                    : shared_->capacity > shared_->used ? shared_->capacity - shared_->used
                                                        : 0;
    std::string_view fits = bytes.substr(0, room);  // a full disk takes what fits, as with write(2)
    file_->bytes.append(fits);
    shared_->used += fits.size();
    if (fits.size() < bytes.size()) {
      return DiskFull(fmt::format("write {}: no space left on device", path_));
    }
    return OkStatus();
  }
  Status Sync() override {
    MutexLock lock(&shared_->mutex);
    file_->durable_size = file_->bytes.size();
    return OkStatus();
  }
  Status Close() override {
    MutexLock lock(&shared_->mutex);
    // The posix file system cuts off reserved zeros when it closes a file, so a power loss leaves
    // them only in files that were open.
    file_->reserved_size = 0;
    return OkStatus();
  }
  uint64_t size() const override {
    MutexLock lock(&shared_->mutex);
    return file_->bytes.size();
  }
  void Reserve(uint64_t bytes, bool) override {
    MutexLock lock(&shared_->mutex);
    file_->reserved_size = file_->bytes.size() + bytes;
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<File> file_;
  std::string path_;
};

class MemoryFileSystem::MemoryPatchFile final : public PatchFile {
 public:
  MemoryPatchFile(std::shared_ptr<Shared> shared, std::shared_ptr<File> file)
      : shared_(std::move(shared)), file_(std::move(file)) {}

  Status Write(uint64_t offset, std::string_view bytes) override {
    MutexLock lock(&shared_->mutex);
    if (file_->bytes.size() < offset + bytes.size()) {
      uint64_t size = shared_->used + offset + bytes.size() - file_->bytes.size();
      if (shared_->capacity != 0 && size > shared_->capacity) {
        return DiskFull("patch: no space left on device");
      }
      shared_->used = size;
      file_->bytes.resize(offset + bytes.size());
    }
    file_->bytes.replace(offset, bytes.size(), bytes);
    return OkStatus();
  }
  Status Sync() override {
    MutexLock lock(&shared_->mutex);
    file_->patched_from = file_->bytes;
    file_->durable_size = file_->bytes.size();
    return OkStatus();
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<File> file_;
};

class MemoryFileSystem::MemoryRandomFile final : public RandomFile {
 public:
  MemoryRandomFile(std::shared_ptr<Shared> shared, std::shared_ptr<File> file, std::string path)
      : shared_(std::move(shared)),
        file_(std::move(file)),
        path_(std::move(path)),
        size_(file_->bytes.size()) {}

  Status Read(uint64_t offset, size_t size, std::string* out) const override {
    MutexLock lock(&shared_->mutex);
    // The comparison cannot overflow. The limit is the size at open, as in the posix file system.
    if (offset > size_ || size > size_ - offset) {
      return DataLoss(fmt::format("read {} @{}: expected {} bytes, the file ends at {}", path_,
                                  offset, size, size_));
    }
    out->assign(file_->bytes, offset, size);
    return OkStatus();
  }
  uint64_t size() const override { return size_; }

 private:
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<File> file_;
  std::string path_;
  uint64_t size_;
};

MemoryFileSystem::MemoryFileSystem(uint64_t capacity) : shared_(std::make_shared<Shared>()) {
  shared_->capacity = capacity;
}

MemoryFileSystem::~MemoryFileSystem() = default;

MemoryFileSystem::MemoryFileSystem(std::shared_ptr<Shared> shared, uint32_t machine)
    : shared_(std::move(shared)), machine_(machine) {}

std::unique_ptr<MemoryFileSystem> MemoryFileSystem::ForMachine(uint32_t machine) const {
  return std::unique_ptr<MemoryFileSystem>(new MemoryFileSystem(shared_, machine));
}

std::unique_ptr<MemoryFileSystem> MemoryFileSystem::CrashClone(Random* random) const {
  auto clone = std::make_unique<MemoryFileSystem>();
  MutexLock lock(&shared_->mutex);
  // Locks are not copied: the processes that held them are gone.
  clone->shared_->disk = shared_->disk.AfterPowerLoss(random);
  clone->shared_->used = clone->shared_->disk.BytesUsed();
  return clone;
}

void MemoryFileSystem::Crash(Random* random) {
  MutexLock lock(&shared_->mutex);
  ++shared_->crashes[machine_];
  std::erase_if(shared_->locked, [this](const auto& held) { return held.second == machine_; });
  if (random == nullptr) return;
  shared_->disk.Crash(machine_, random);
  shared_->used = shared_->disk.BytesUsed();
}

void MemoryFileSystem::SetCapacity(uint64_t capacity) {
  MutexLock lock(&shared_->mutex);
  shared_->capacity = capacity;
}

uint64_t MemoryFileSystem::used_bytes() const {
  MutexLock lock(&shared_->mutex);
  return shared_->used;
}

void MemoryFileSystem::FlipByte(const std::string& path, uint64_t offset, char mask) {
  MutexLock lock(&shared_->mutex);
  std::shared_ptr<File> file = shared_->disk.Find(path);
  CHECK(file != nullptr && offset < file->bytes.size());
  file->bytes[offset] = static_cast<char>(file->bytes[offset] ^ mask);
}

std::vector<std::string> MemoryFileSystem::AllFiles() const {
  MutexLock lock(&shared_->mutex);
  std::vector<std::string> paths;
  for (const auto& [path, file] : shared_->disk.entries()) {
    if (file != nullptr) paths.push_back(path);
  }
  return paths;
}

// What one machine wrote becomes durable when another machine reads it (ForMachine). Calls that
// return content, size or names therefore use Show or ShowEntries. Calls that change names use
// Find: they do not read the file, and Change calls ShowEntries for the directory first.
StatusOr<std::unique_ptr<AppendFile>> MemoryFileSystem::Create(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  if (shared_->disk.entries().contains(path)) {
    return AlreadyExists(fmt::format("create {}: file exists", path));
  }
  if (!shared_->disk.IsDirectory(MemoryDisk::ParentOf(path))) {
    return NotFound(fmt::format("create {}: no such directory", path));
  }
  auto file = std::make_shared<File>();
  file->machine = machine_;
  shared_->disk.Change(MemoryDisk::ParentOf(path), machine_,
                       [path, file](Entries* entries) { (*entries)[path] = file; });
  return std::unique_ptr<AppendFile>(new MemoryAppendFile(shared_, std::move(file), path));
}

StatusOr<std::unique_ptr<PatchFile>> MemoryFileSystem::OpenPatch(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  std::shared_ptr<File> file = shared_->disk.Show(path, machine_);
  if (file == nullptr) {
    if (!shared_->disk.IsDirectory(MemoryDisk::ParentOf(path))) {
      return NotFound(fmt::format("create {}: no such directory", path));
    }
    file = std::make_shared<File>();
    file->machine = machine_;
    shared_->disk.Change(MemoryDisk::ParentOf(path), machine_,
                         [path, file](Entries* entries) { (*entries)[path] = file; });
  }
  // From now on a power loss may mix old and new pages, so patched_from keeps the present bytes
  // as the old pages.
  if (!file->patched_from.has_value()) file->patched_from = file->bytes;
  return std::unique_ptr<PatchFile>(new MemoryPatchFile(shared_, std::move(file)));
}

StatusOr<std::unique_ptr<RandomFile>> MemoryFileSystem::OpenRandom(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  std::shared_ptr<File> file = shared_->disk.Show(path, machine_);
  if (file == nullptr) return NotFound(fmt::format("open {}: no such file", path));
  return std::unique_ptr<RandomFile>(new MemoryRandomFile(shared_, std::move(file), path));
}

Status MemoryFileSystem::Rename(const std::string& source, const std::string& target) {
  MutexLock lock(&shared_->mutex);
  if (shared_->disk.IsDirectory(source) && !shared_->disk.entries().contains(target)) {
    shared_->disk.MoveDirectory(source, target, machine_);
    return OkStatus();
  }
  std::shared_ptr<File> file = shared_->disk.Find(source);
  if (file == nullptr) return NotFound(fmt::format("rename {}: no such file", source));
  std::shared_ptr<File> replaced = shared_->disk.Find(target);
  if (source == target) return OkStatus();
  std::string directory = MemoryDisk::ParentOf(target);
  CHECK(MemoryDisk::ParentOf(source) == directory);  // no caller renames across directories
  shared_->disk.Change(directory, machine_, [source, target, file](Entries* entries) {
    entries->erase(source);
    (*entries)[target] = file;
  });
  if (replaced != nullptr) shared_->FreeIfUnnamed(*replaced);
  return OkStatus();
}

Status MemoryFileSystem::RenameNew(const std::string& source, const std::string& target) {
  MutexLock lock(&shared_->mutex);
  std::shared_ptr<File> file = shared_->disk.Find(source);
  if (file == nullptr) return NotFound(fmt::format("rename {}: no such file", source));
  if (shared_->disk.entries().contains(target))
    return AlreadyExists(target + ": it already exists");
  std::string directory = MemoryDisk::ParentOf(target);
  CHECK(MemoryDisk::ParentOf(source) == directory);
  shared_->disk.Change(directory, machine_, [source, target, file](Entries* entries) {
    entries->erase(source);
    (*entries)[target] = file;
  });
  return OkStatus();
}

Status MemoryFileSystem::Link(const std::string& source, const std::string& target) {
  MutexLock lock(&shared_->mutex);
  std::shared_ptr<File> file = shared_->disk.Find(source);
  if (file == nullptr) return NotFound(fmt::format("link {}: no such file", source));
  if (shared_->disk.entries().contains(target))
    return AlreadyExists(target + ": it already exists");
  std::string directory = MemoryDisk::ParentOf(target);
  if (!shared_->disk.IsDirectory(directory)) {
    return NotFound(fmt::format("link {}: no such directory", target));
  }
  file->linked = true;
  shared_->disk.Change(directory, machine_,
                       [target, file](Entries* entries) { (*entries)[target] = file; });
  return OkStatus();
}

Status MemoryFileSystem::Remove(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  std::shared_ptr<File> file = shared_->disk.Find(path);
  if (file == nullptr) return NotFound(fmt::format("remove {}: no such file", path));
  shared_->disk.Change(MemoryDisk::ParentOf(path), machine_,
                       [path](Entries* entries) { entries->erase(path); });
  shared_->FreeIfUnnamed(*file);
  return OkStatus();
}

Status MemoryFileSystem::RemoveDir(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  if (!shared_->disk.IsDirectory(path)) {
    return NotFound(fmt::format("remove {}: no such directory", path));
  }
  // Entries are sorted by path: the first one below the directory would be here.
  auto below = shared_->disk.entries().lower_bound(path + "/");
  if (below != shared_->disk.entries().end() && below->first.starts_with(path + "/")) {
    return FailedPrecondition(fmt::format("remove {}: the directory is not empty", path));
  }
  shared_->disk.Change(MemoryDisk::ParentOf(path), machine_,
                       [path](Entries* entries) { entries->erase(path); });
  return OkStatus();
}

Status MemoryFileSystem::CreateDir(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  if (shared_->disk.IsDirectory(path)) return OkStatus();
  if (shared_->disk.Find(path) != nullptr)
    return AlreadyExists(fmt::format("create directory {}: a file has this name", path));
  if (!shared_->disk.IsDirectory(MemoryDisk::ParentOf(path))) {
    return NotFound(fmt::format("create directory {}: its parent directory does not exist", path));
  }
  shared_->disk.Change(MemoryDisk::ParentOf(path), machine_,
                       [path](Entries* entries) { (*entries)[path] = nullptr; });
  return OkStatus();
}

Status MemoryFileSystem::SyncDir(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  if (!shared_->disk.IsDirectory(path))
    return NotFound(fmt::format("sync {}: no such directory", path));
  shared_->disk.SyncEntries(path);
  return OkStatus();
}

Status MemoryFileSystem::SyncFile(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  std::shared_ptr<File> file = shared_->disk.Show(path, machine_);
  if (file == nullptr) return NotFound(fmt::format("sync {}: no such file", path));
  file->durable_size = file->bytes.size();
  if (file->patched_from.has_value()) file->patched_from = file->bytes;
  return OkStatus();
}

StatusOr<std::vector<std::string>> MemoryFileSystem::List(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  if (!shared_->disk.IsDirectory(path))
    return NotFound(fmt::format("list {}: no such directory", path));
  shared_->disk.ShowEntries(path, machine_);
  return shared_->disk.NamesIn(path);
}

StatusOr<bool> MemoryFileSystem::Exists(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  shared_->disk.ShowEntries(MemoryDisk::ParentOf(path), machine_);
  return shared_->disk.IsDirectory(path) || shared_->disk.entries().contains(path);
}

StatusOr<uint64_t> MemoryFileSystem::FileSize(const std::string& path) {
  MutexLock lock(&shared_->mutex);
  std::shared_ptr<File> file = shared_->disk.Show(path, machine_);
  if (file == nullptr) return NotFound(fmt::format("stat {}: no such file", path));
  return file->bytes.size();
}

}  // namespace sippar::engine
