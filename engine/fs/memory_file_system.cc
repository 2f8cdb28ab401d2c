// Memory file system. SPDX-License-Identifier: Apache-2.0
#include "engine/fs/memory_file_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "engine/base/check.h"

namespace sippar::engine {
namespace {

std::string ParentOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

constexpr size_t kPageSize = 512;          // small, so that small tests have several
constexpr size_t kReservedLeftMax = 4096;  // zeros are like each other: a few are enough for a test

struct Inode {
  std::string bytes;
  size_t durable_size = 0;
  size_t reserved_size = 0;
};
using Entries = std::map<std::string, std::shared_ptr<Inode>>;  // path -> file, null: directory
// One change of a directory, replayable on the durable entries.
using EntryChange = std::function<void(Entries*)>;

}  // namespace

struct MemoryFileSystem::Disk {
  mutable Mutex mutex;
  Entries now;
  Entries durable;
  std::map<std::string, std::vector<EntryChange>> unsynced;  // by directory, in order
  std::set<std::string> locked;
  uint64_t capacity = 0;
  uint64_t used = 0;

  void Change(const std::string& directory, EntryChange change) {
    change(&now);
    unsynced[directory].push_back(std::move(change));
  }
  bool IsDirectory(const std::string& path) const {
    if (path == "/" || path == ".") return true;
    auto found = now.find(path);
    return found != now.end() && found->second == nullptr;
  }
  std::shared_ptr<Inode> File(const std::string& path) const {
    auto found = now.find(path);
    return found == now.end() ? nullptr : found->second;
  }
};

class MemoryFileSystem::MemoryAppendFile final : public AppendFile {
 public:
  MemoryAppendFile(std::shared_ptr<Disk> disk, std::shared_ptr<Inode> inode, std::string path)
      : disk_(std::move(disk)), inode_(std::move(inode)), path_(std::move(path)) {}

  Status Append(std::string_view bytes) override {
    MutexLock lock(&disk_->mutex);
    uint64_t room = disk_->capacity == 0            ? bytes.size()
                    : disk_->capacity > disk_->used ? disk_->capacity - disk_->used
                                                    : 0;
    std::string_view fits = bytes.substr(0, room);  // a full disk takes what it can, like write(2)
    inode_->bytes.append(fits);
    disk_->used += fits.size();
    if (fits.size() < bytes.size()) {
      return ResourceExhausted(fmt::format("write {}: no space left on device", path_));
    }
    return OkStatus();
  }
  Status Sync() override {
    MutexLock lock(&disk_->mutex);
    inode_->durable_size = inode_->bytes.size();
    return OkStatus();
  }
  Status Close() override {
    MutexLock lock(&disk_->mutex);
    inode_->reserved_size = 0;
    return OkStatus();
  }
  uint64_t size() const override {
    MutexLock lock(&disk_->mutex);
    return inode_->bytes.size();
  }
  void Reserve(uint64_t bytes, bool) override {
    MutexLock lock(&disk_->mutex);
    inode_->reserved_size = inode_->bytes.size() + bytes;
  }

 private:
  std::shared_ptr<Disk> disk_;
  std::shared_ptr<Inode> inode_;
  std::string path_;
};

class MemoryFileSystem::MemoryRandomFile final : public RandomFile {
 public:
  MemoryRandomFile(std::shared_ptr<Disk> disk, std::shared_ptr<Inode> inode, std::string path)
      : disk_(std::move(disk)),
        inode_(std::move(inode)),
        path_(std::move(path)),
        size_(inode_->bytes.size()) {}

  Status Read(uint64_t offset, size_t size, std::string* out) const override {
    MutexLock lock(&disk_->mutex);
    if (offset > size_ || size > size_ - offset) {
      return DataLoss(fmt::format("read {} @{}: expected {} bytes, the file ends at {}", path_,
                                  offset, size, size_));
    }
    out->assign(inode_->bytes, offset, size);
    return OkStatus();
  }
  uint64_t size() const override { return size_; }

 private:
  std::shared_ptr<Disk> disk_;
  std::shared_ptr<Inode> inode_;
  std::string path_;
  uint64_t size_;
};

class MemoryFileSystem::MemoryLock final : public FileLock {
 public:
  MemoryLock(std::shared_ptr<Disk> disk, std::string path)
      : disk_(std::move(disk)), path_(std::move(path)) {}
  ~MemoryLock() override {
    MutexLock lock(&disk_->mutex);
    disk_->locked.erase(path_);
  }

 private:
  std::shared_ptr<Disk> disk_;
  std::string path_;
};

MemoryFileSystem::MemoryFileSystem(uint64_t capacity) : disk_(std::make_shared<Disk>()) {
  disk_->capacity = capacity;
}

MemoryFileSystem::~MemoryFileSystem() = default;

std::unique_ptr<MemoryFileSystem> MemoryFileSystem::CrashClone(Random* random) const {
  auto clone = std::make_unique<MemoryFileSystem>();
  MutexLock lock(&disk_->mutex);
  Entries left = disk_->durable;
  for (const auto& [directory, changes] : disk_->unsynced) {
    size_t kept = random->Uniform(changes.size() + 1);
    for (size_t i = 0; i < kept; ++i) changes[i](&left);
  }
  for (auto& [path, inode] : left) {
    if (inode == nullptr) continue;
    auto survivor = std::make_shared<Inode>();
    size_t newer = inode->bytes.size() - inode->durable_size;
    size_t kept = inode->durable_size + random->Uniform(newer + 1);
    survivor->bytes = inode->bytes.substr(0, kept);
    // Pages of an unsynced write reach the disk in any order.
    for (size_t page = inode->durable_size; page < kept; page += kPageSize) {
      size_t size = std::min(kPageSize, kept - page);
      if (random->OneIn(8)) survivor->bytes.replace(page, size, size, '\0');
    }
    if (kept > inode->durable_size && random->OneIn(4)) {
      // Delayed allocation: the length is there, the bytes are not.
      size_t zeros = 1 + random->Uniform(kept - inode->durable_size);
      survivor->bytes.replace(kept - zeros, zeros, zeros, '\0');
    }
    if (inode->reserved_size > kept && random->OneIn(2)) {
      survivor->bytes.resize(std::min(inode->reserved_size, kept + kReservedLeftMax));
    }
    survivor->durable_size = survivor->bytes.size();
    inode = std::move(survivor);
    clone->disk_->used += inode->bytes.size();
  }
  // An entry whose directory is gone cannot be reached.
  std::erase_if(left, [&](const auto& entry) {
    std::string parent = ParentOf(entry.first);
    return parent != "/" && parent != "." && !left.contains(parent);
  });
  clone->disk_->now = left;
  clone->disk_->durable = std::move(left);
  return clone;
}

void MemoryFileSystem::SetCapacity(uint64_t capacity) {
  MutexLock lock(&disk_->mutex);
  disk_->capacity = capacity;
}

uint64_t MemoryFileSystem::used_bytes() const {
  MutexLock lock(&disk_->mutex);
  return disk_->used;
}

void MemoryFileSystem::FlipByte(const std::string& path, uint64_t offset, char mask) {
  MutexLock lock(&disk_->mutex);
  std::shared_ptr<Inode> inode = disk_->File(path);
  CHECK(inode != nullptr && offset < inode->bytes.size());
  inode->bytes[offset] = static_cast<char>(inode->bytes[offset] ^ mask);
}

std::vector<std::string> MemoryFileSystem::AllFiles() const {
  MutexLock lock(&disk_->mutex);
  std::vector<std::string> paths;
  for (const auto& [path, inode] : disk_->now) {
    if (inode != nullptr) paths.push_back(path);
  }
  return paths;
}

StatusOr<std::unique_ptr<AppendFile>> MemoryFileSystem::Create(const std::string& path) {
  MutexLock lock(&disk_->mutex);
  if (disk_->now.contains(path)) return AlreadyExists(fmt::format("create {}: file exists", path));
  if (!disk_->IsDirectory(ParentOf(path))) {
    return NotFound(fmt::format("create {}: no such directory", path));
  }
  auto inode = std::make_shared<Inode>();
  disk_->Change(ParentOf(path), [path, inode](Entries* entries) { (*entries)[path] = inode; });
  return std::unique_ptr<AppendFile>(new MemoryAppendFile(disk_, std::move(inode), path));
}

StatusOr<std::unique_ptr<RandomFile>> MemoryFileSystem::OpenRandom(const std::string& path) {
  MutexLock lock(&disk_->mutex);
  std::shared_ptr<Inode> inode = disk_->File(path);
  if (inode == nullptr) return NotFound(fmt::format("open {}: no such file", path));
  return std::unique_ptr<RandomFile>(new MemoryRandomFile(disk_, std::move(inode), path));
}

Status MemoryFileSystem::Rename(const std::string& source, const std::string& target) {
  MutexLock lock(&disk_->mutex);
  std::shared_ptr<Inode> inode = disk_->File(source);
  if (inode == nullptr) return NotFound(fmt::format("rename {}: no such file", source));
  if (auto replaced = disk_->File(target)) disk_->used -= replaced->bytes.size();
  CHECK(ParentOf(source) == ParentOf(target));  // across directories nobody renames here
  disk_->Change(ParentOf(target), [source, target, inode](Entries* entries) {
    entries->erase(source);
    (*entries)[target] = inode;
  });
  return OkStatus();
}

Status MemoryFileSystem::Remove(const std::string& path) {
  MutexLock lock(&disk_->mutex);
  std::shared_ptr<Inode> inode = disk_->File(path);
  if (inode == nullptr) return NotFound(fmt::format("remove {}: no such file", path));
  disk_->used -= inode->bytes.size();
  disk_->Change(ParentOf(path), [path](Entries* entries) { entries->erase(path); });
  return OkStatus();
}

Status MemoryFileSystem::RemoveDir(const std::string& path) {
  MutexLock lock(&disk_->mutex);
  if (!disk_->IsDirectory(path)) return NotFound(fmt::format("remove {}: no directory", path));
  auto below = disk_->now.lower_bound(path + "/");
  if (below != disk_->now.end() && below->first.starts_with(path + "/")) {
    return FailedPrecondition(fmt::format("remove {}: not empty", path));
  }
  disk_->Change(ParentOf(path), [path](Entries* entries) { entries->erase(path); });
  return OkStatus();
}

Status MemoryFileSystem::CreateDir(const std::string& path) {
  MutexLock lock(&disk_->mutex);
  if (disk_->IsDirectory(path)) return OkStatus();
  if (disk_->File(path) != nullptr) return AlreadyExists(fmt::format("{} is a file", path));
  if (!disk_->IsDirectory(ParentOf(path))) {
    return NotFound(fmt::format("create directory {}: no such parent", path));
  }
  disk_->Change(ParentOf(path), [path](Entries* entries) { (*entries)[path] = nullptr; });
  return OkStatus();
}

Status MemoryFileSystem::SyncDir(const std::string& path) {
  MutexLock lock(&disk_->mutex);
  if (!disk_->IsDirectory(path)) return NotFound(fmt::format("sync {}: no directory", path));
  for (const EntryChange& change : disk_->unsynced[path]) change(&disk_->durable);
  disk_->unsynced.erase(path);
  return OkStatus();
}

StatusOr<std::vector<std::string>> MemoryFileSystem::List(const std::string& path) {
  MutexLock lock(&disk_->mutex);
  if (!disk_->IsDirectory(path)) return NotFound(fmt::format("list {}: no directory", path));
  std::vector<std::string> names;
  for (const auto& [entry, inode] : disk_->now) {
    if (ParentOf(entry) == path) names.push_back(entry.substr(entry.rfind('/') + 1));
  }
  return names;
}

StatusOr<bool> MemoryFileSystem::Exists(const std::string& path) {
  MutexLock lock(&disk_->mutex);
  return disk_->IsDirectory(path) || disk_->now.contains(path);
}

StatusOr<uint64_t> MemoryFileSystem::FileSize(const std::string& path) {
  MutexLock lock(&disk_->mutex);
  std::shared_ptr<Inode> inode = disk_->File(path);
  if (inode == nullptr) return NotFound(fmt::format("stat {}: no such file", path));
  return inode->bytes.size();
}

StatusOr<std::unique_ptr<FileLock>> MemoryFileSystem::Lock(const std::string& path,
                                                           const std::string&) {
  MutexLock lock(&disk_->mutex);
  if (!disk_->IsDirectory(ParentOf(path))) {
    return NotFound(fmt::format("lock {}: no such directory", path));
  }
  if (!disk_->locked.insert(path).second) {
    return Unavailable(fmt::format("{} is held by another process (pid of this test)", path));
  }
  if (!disk_->now.contains(path)) {
    auto inode = std::make_shared<Inode>();
    disk_->Change(ParentOf(path), [path, inode](Entries* entries) { (*entries)[path] = inode; });
  }
  return std::unique_ptr<FileLock>(new MemoryLock(disk_, path));
}

}  // namespace sippar::engine
