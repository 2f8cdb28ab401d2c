// The table changed_ holds the names that were changed; every other name is looked up in the lower
// file system.
// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/overlay_file_system.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::engine {
namespace {

std::string ParentOf(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace

// A file in memory. It has its own name in upper_, because its names in the overlay may change
// while the file is open. The destructor of the last reference removes it.
class OverlayFileSystem::UpperFile {
 public:
  UpperFile(MemoryFileSystem* fs, std::string name) : fs_(fs), name_(std::move(name)) {}
  ~UpperFile() { (void)fs_->Remove(name_); }
  UpperFile(const UpperFile&) = delete;
  UpperFile& operator=(const UpperFile&) = delete;

  const std::string& name() const { return name_; }

 private:
  MemoryFileSystem* const fs_;
  const std::string name_;
};

class OverlayFileSystem::GuardedFile final : public AppendFile {
 public:
  GuardedFile(std::shared_ptr<Gate> gate, std::unique_ptr<AppendFile> file)
      : gate_(std::move(gate)), file_(std::move(file)) {}

  Status Append(std::string_view bytes) override {
    RETURN_IF_ERROR(gate_->Check());
    return file_->Append(bytes);
  }
  Status Sync() override { return file_->Sync(); }
  Status Close() override { return file_->Close(); }
  uint64_t size() const override { return file_->size(); }

 private:
  const std::shared_ptr<Gate> gate_;
  const std::unique_ptr<AppendFile> file_;
};

Status OverlayFileSystem::Gate::Check() {
  if (!shut.load()) return OkStatus();
  refused = true;
  return why;
}

void OverlayFileSystem::Refuse(const Status& why) {
  MutexLock lock(&mutex_);
  if (gate_->shut) return;
  gate_->why = why;
  gate_->shut = true;
}

std::shared_ptr<OverlayFileSystem::UpperFile> OverlayFileSystem::NewFile(const std::string& path) {
  std::string last = path.substr(path.rfind('/') + 1);  // part of the name, for error messages
  return std::make_shared<UpperFile>(&upper_, fmt::format("/{}.{}", ++files_made_, last));
}

StatusOr<std::optional<OverlayFileSystem::Place>> OverlayFileSystem::Find(const std::string& path) {
  auto changed = changed_.find(path);
  if (changed != changed_.end()) return changed->second;
  // changed_ has no entry for this name. If it has one for an ancestor, the name is looked up below
  // the path in `lower_` that the ancestor's entry states.
  std::string below = path;
  for (std::string above = ParentOf(path); !above.empty(); above = ParentOf(above)) {
    auto moved = changed_.find(above);
    if (moved == changed_.end()) continue;
    if (!moved->second.has_value() || moved->second->lower.empty()) return std::optional<Place>();
    below = moved->second->lower + path.substr(above.size());
    break;
  }
  ASSIGN_OR_RETURN(bool exists, lower_->Exists(below));
  return exists ? std::optional<Place>(Place{below, nullptr}) : std::nullopt;
}

StatusOr<OverlayFileSystem::Place> OverlayFileSystem::Get(const char* wanted,
                                                          const std::string& path) {
  ASSIGN_OR_RETURN(std::optional<Place> place, Find(path));
  if (!place.has_value()) return NotFound(fmt::format("{} {}: it does not exist", wanted, path));
  return *std::move(place);
}

Status OverlayFileSystem::CheckParent(const char* wanted, const std::string& path) {
  std::string parent = ParentOf(path);
  return parent.empty() ? OkStatus() : Get(wanted, parent).status();
}

// Checks a new name: its directory must exist, and the name must be free.
Status OverlayFileSystem::CheckFree(const char* wanted, const std::string& path) {
  RETURN_IF_ERROR(CheckParent(wanted, path));
  ASSIGN_OR_RETURN(std::optional<Place> place, Find(path));
  if (place.has_value())
    return AlreadyExists(fmt::format("{} {}: it already exists", wanted, path));
  return OkStatus();
}

StatusOr<std::unique_ptr<AppendFile>> OverlayFileSystem::Create(const std::string& path) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(gate_->Check());
  RETURN_IF_ERROR(CheckFree("create", path));
  auto file = NewFile(path);
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> opened, upper_.Create(file->name()));
  changed_[path] = Place{"", std::move(file)};
  return std::unique_ptr<AppendFile>(new GuardedFile(gate_, std::move(opened)));
}

StatusOr<std::unique_ptr<RandomFile>> OverlayFileSystem::OpenRandom(const std::string& path) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Place place, Get("open", path));
  if (place.IsNewDirectory()) return NotFound(fmt::format("open {}: it is a directory", path));
  return place.upper != nullptr ? upper_.OpenRandom(place.upper->name())
                                : lower_->OpenRandom(place.lower);
}

// Renames a file or a directory; entries of `changed_` below the directory get the new path.
Status OverlayFileSystem::Move(const std::string& source, const std::string& target) {
  ASSIGN_OR_RETURN(Place place, Get("rename", source));
  RETURN_IF_ERROR(CheckParent("rename to", target));
  if (source == target) return OkStatus();
  const std::string prefix = source + "/";
  for (auto below = changed_.lower_bound(prefix);
       below != changed_.end() && below->first.starts_with(prefix);) {
    changed_[target + "/" + below->first.substr(prefix.size())] = std::move(below->second);
    below = changed_.erase(below);
  }
  changed_[target] = std::move(place);
  changed_[source] = std::nullopt;
  return OkStatus();
}

Status OverlayFileSystem::Rename(const std::string& source, const std::string& target) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(gate_->Check());
  return Move(source, target);
}

Status OverlayFileSystem::RenameNew(const std::string& source, const std::string& target) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(gate_->Check());
  RETURN_IF_ERROR(Get("rename", source).status());
  RETURN_IF_ERROR(CheckFree("rename to", target));
  return Move(source, target);
}

Status OverlayFileSystem::Link(const std::string& source, const std::string& target) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(gate_->Check());
  ASSIGN_OR_RETURN(Place place, Get("link", source));
  RETURN_IF_ERROR(CheckFree("link to", target));
  changed_[target] = std::move(place);
  return OkStatus();
}

Status OverlayFileSystem::Remove(const std::string& path) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(gate_->Check());
  RETURN_IF_ERROR(Get("remove", path).status());
  changed_[path] = std::nullopt;
  return OkStatus();
}

Status OverlayFileSystem::RemoveDir(const std::string& path) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(gate_->Check());
  RETURN_IF_ERROR(Get("remove", path).status());
  ASSIGN_OR_RETURN(std::vector<std::string> names, NamesIn(path));
  if (!names.empty())
    return FailedPrecondition(fmt::format("remove {}: the directory is not empty", path));
  // Removes the entries of changed_ for names that were removed from this directory: they would
  // hide the contents of a directory that is renamed to this name later.
  const std::string prefix = path + "/";
  std::erase_if(changed_, [&](const auto& entry) { return entry.first.starts_with(prefix); });
  changed_[path] = std::nullopt;
  return OkStatus();
}

Status OverlayFileSystem::CreateDir(const std::string& path) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(std::optional<Place> place, Find(path));
  if (place.has_value() && place->upper != nullptr) {
    return AlreadyExists(fmt::format("create directory {}: a file has this name", path));
  }
  if (place.has_value()) return place->IsNewDirectory() ? OkStatus() : NamesIn(path).status();
  RETURN_IF_ERROR(gate_->Check());
  RETURN_IF_ERROR(CheckParent("create directory", path));
  changed_[path] = Place();
  return OkStatus();
}

Status OverlayFileSystem::SyncDir(const std::string& path) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(Get("sync", path).status());
  return upper_.SyncDir("/");
}

Status OverlayFileSystem::SyncFile(const std::string& path) {
  MutexLock lock(&mutex_);
  return Get("sync", path).status();
}

StatusOr<std::vector<std::string>> OverlayFileSystem::NamesIn(const std::string& path) {
  ASSIGN_OR_RETURN(Place place, Get("list", path));
  std::vector<std::string> names;
  if (!place.lower.empty()) {
    ASSIGN_OR_RETURN(std::vector<std::string> old, lower_->List(place.lower));
    std::copy_if(old.begin(), old.end(), std::back_inserter(names),
                 [&](const std::string& name) { return !changed_.contains(path + "/" + name); });
  } else if (place.upper != nullptr) {
    return NotFound(fmt::format("list {}: it is a file", path));
  }
  const std::string prefix = path + "/";
  for (auto below = changed_.lower_bound(prefix);
       below != changed_.end() && below->first.starts_with(prefix); ++below) {
    std::string name = below->first.substr(prefix.size());
    if (below->second.has_value() && name.find('/') == std::string::npos) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

StatusOr<std::vector<std::string>> OverlayFileSystem::List(const std::string& path) {
  MutexLock lock(&mutex_);
  return NamesIn(path);
}

StatusOr<bool> OverlayFileSystem::Exists(const std::string& path) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(std::optional<Place> place, Find(path));
  return place.has_value();
}

StatusOr<uint64_t> OverlayFileSystem::FileSize(const std::string& path) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Place place, Get("stat", path));
  if (place.IsNewDirectory()) return NotFound(fmt::format("stat {}: it is a directory", path));
  return place.upper != nullptr ? upper_.FileSize(place.upper->name())
                                : lower_->FileSize(place.lower);
}

StatusOr<std::unique_ptr<FileLock>> OverlayFileSystem::Lock(const std::string& path,
                                                            const std::string& note) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(std::optional<Place> place, Find(path));
  if (place.has_value() && !place->lower.empty()) return lower_->Lock(place->lower, note);
  if (!place.has_value()) {
    RETURN_IF_ERROR(CheckParent("lock", path));
    place = Place{"", NewFile(path)};
    changed_[path] = place;
  }
  if (place->IsNewDirectory()) return NotFound(fmt::format("lock {}: it is a directory", path));
  return upper_.Lock(place->upper->name(), note);
}

// A new file is locked in memory, by this process alone, which is never fenced.
Status OverlayFileSystem::Fence(const std::string& identity, const std::string& lock_path) {
  std::string lower;
  {
    MutexLock lock(&mutex_);
    ASSIGN_OR_RETURN(Place place, Get("lock", lock_path));
    if (place.lower.empty()) {
      return Unavailable(lock_path + ": its lock is in the memory of this process");
    }
    lower = place.lower;
  }
  return lower_->Fence(identity, lower);
}

}  // namespace sippar::engine
