// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/memory_disk.h"

#include <algorithm>
#include <set>

namespace sippar::engine {
namespace {
constexpr size_t kPageSize = 512;  // small, so that files of small tests have several pages
// The most reserved zeros that a power loss leaves in a file. More zeros would cost memory without
// testing more.
constexpr size_t kReservedLeftMax = 4096;

// Moves a directory with everything below it; false if the directory does not exist.
bool MoveTree(MemoryDisk::Entries* entries, const std::string& source, const std::string& target) {
  if (!entries->contains(source)) return false;
  std::vector<std::string> paths;
  for (auto at = entries->lower_bound(source);
       at != entries->end() && at->first.starts_with(source); ++at) {
    if (at->first == source || at->first[source.size()] == '/') paths.push_back(at->first);
  }
  for (const std::string& path : paths) {
    auto node = entries->extract(path);
    node.key() = target + path.substr(source.size());
    entries->insert(std::move(node));
  }
  return true;
}

}  // namespace

std::string MemoryDisk::ParentOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::vector<std::string> MemoryDisk::NamesIn(const std::string& directory) const {
  std::vector<std::string> names;
  const std::string prefix = directory == "." ? "" : directory == "/" ? "/" : directory + "/";
  for (auto it = now_.lower_bound(prefix); it != now_.end() && it->first.starts_with(prefix);
       ++it) {
    if (it->first.find('/', prefix.size()) != std::string::npos) continue;
    names.push_back(it->first.substr(prefix.size()));
  }
  return names;
}

std::string MemoryDisk::File::Survivor(Random* random) const {
  if (patched_from.has_value()) {
    std::string left = bytes;  // each page keeps its old bytes or has its new ones
    for (size_t page = 0; page < left.size(); page += kPageSize) {
      if (!random->OneIn(2)) continue;
      std::string old = patched_from->substr(std::min(page, patched_from->size()), kPageSize);
      old.resize(std::min(kPageSize, left.size() - page), '\0');
      left.replace(page, old.size(), old);
    }
    return left;
  }
  size_t kept = durable_size + random->Uniform(bytes.size() - durable_size + 1);
  std::string left = bytes.substr(0, kept);
  // Pages of an unsynced write reach the disk in any order, so an early one may be missing.
  for (size_t page = durable_size; page < kept; page += kPageSize) {
    size_t size = std::min(kPageSize, kept - page);
    if (random->OneIn(8)) left.replace(page, size, size, '\0');
  }
  if (kept > durable_size && random->OneIn(4)) {
    // Simulates delayed allocation: the file's length reached the disk, but its last bytes did not.
    size_t zeros = 1 + random->Uniform(kept - durable_size);
    left.replace(kept - zeros, zeros, zeros, '\0');
  }
  if (reserved_size > kept && random->OneIn(2)) {
    left.resize(std::min(reserved_size, kept + kReservedLeftMax));
  }
  return left;
}

bool MemoryDisk::IsDirectory(const std::string& path) const {
  if (path == "/" || path == ".") return true;
  auto found = now_.find(path);
  return found != now_.end() && found->second == nullptr;
}

std::shared_ptr<MemoryDisk::File> MemoryDisk::Find(const std::string& path) const {
  auto found = now_.find(path);
  return found == now_.end() ? nullptr : found->second;
}

void MemoryDisk::ShowEntries(const std::string& directory, uint32_t machine) {
  auto found = unsynced_.find(directory);
  if (found != unsynced_.end() && found->second.machine != machine) SyncEntries(directory);
}

std::shared_ptr<MemoryDisk::File> MemoryDisk::Show(const std::string& path, uint32_t machine) {
  ShowEntries(ParentOf(path), machine);
  std::shared_ptr<File> file = Find(path);
  if (file == nullptr || file->machine == machine) return file;
  file->durable_size = file->bytes.size();
  if (file->patched_from.has_value()) file->patched_from = file->bytes;
  return file;
}

void MemoryDisk::Change(const std::string& directory, uint32_t machine, EntryChange change) {
  ShowEntries(directory, machine);
  change(&now_);
  UnsyncedChanges& unsynced = unsynced_[directory];
  unsynced.machine = machine;
  unsynced.changes.push_back(std::move(change));
}

void MemoryDisk::MoveDirectory(const std::string& source, const std::string& target,
                               uint32_t machine) {
  // The move is one change of the parent directory. The unsynced changes inside the moved directory
  // name its old path. A later replay may find the durable directory at its old or its new path, so
  // the loop below wraps each of these changes to work in both cases.
  Change(ParentOf(target), machine, [source, target](Entries* entries) {
    static_cast<void>(MoveTree(entries, source, target));
  });
  auto own = unsynced_.find(source);
  if (own == unsynced_.end()) return;
  UnsyncedChanges moved = std::move(own->second);
  unsynced_.erase(own);
  for (EntryChange& change : moved.changes) {
    // The change uses the old paths, so the directory is moved back while the change is applied.
    change = [source, target, change](Entries* entries) {
      bool back = MoveTree(entries, target, source);
      change(entries);
      if (back) static_cast<void>(MoveTree(entries, source, target));
    };
  }
  unsynced_[target] = std::move(moved);
}

void MemoryDisk::SyncEntries(const std::string& directory) {
  const UnsyncedChanges& unsynced = unsynced_[directory];
  unsynced.ApplyFirst(unsynced.changes.size(), &durable_);
  unsynced_.erase(directory);
}

// Erases entries whose directory was lost: a power loss may keep a file but lose its directory.
void MemoryDisk::EraseUnreachable(Entries* entries) {
  std::erase_if(*entries, [&](const auto& entry) {
    std::string parent = ParentOf(entry.first);
    return parent != "/" && parent != "." && !entries->contains(parent);
  });
}

MemoryDisk MemoryDisk::AfterPowerLoss(Random* random) const {
  MemoryDisk left;
  left.durable_ = durable_;
  for (const auto& [directory, unsynced] : unsynced_) {
    unsynced.ApplyFirst(random->Uniform(unsynced.changes.size() + 1), &left.durable_);
  }
  for (auto& [path, file] : left.durable_) {
    if (file == nullptr) continue;
    auto survivor = std::make_shared<File>();
    survivor->bytes = file->Survivor(random);
    survivor->durable_size = survivor->bytes.size();
    survivor->machine = file->machine;
    if (file->patched_from.has_value()) survivor->patched_from = survivor->bytes;
    file = std::move(survivor);
  }
  EraseUnreachable(&left.durable_);
  left.now_ = left.durable_;
  return left;
}

void MemoryDisk::Crash(uint32_t machine, Random* random) {
  std::vector<std::string> torn;
  for (const auto& [directory, unsynced] : unsynced_) {
    if (unsynced.machine == machine) torn.push_back(directory);
  }
  for (const std::string& directory : torn) {
    const UnsyncedChanges& unsynced = unsynced_[directory];
    unsynced.ApplyFirst(random->Uniform(unsynced.changes.size() + 1), &durable_);
    unsynced_.erase(directory);
  }
  // The changes of other machines survive, synced or not, so the unsynced ones are applied again.
  // One of them may have created a directory in which this machine made synced changes.
  now_ = durable_;
  for (const auto& [directory, unsynced] : unsynced_) {
    unsynced.ApplyFirst(unsynced.changes.size(), &now_);
  }
  EraseUnreachable(&durable_);
  EraseUnreachable(&now_);
  for (auto& [path, file] : now_) {
    if (file == nullptr || file->machine != machine) continue;
    file->bytes = file->Survivor(random);
    file->durable_size = file->bytes.size();
    if (file->patched_from.has_value()) file->patched_from = file->bytes;
    file->reserved_size = 0;
  }
}

uint64_t MemoryDisk::BytesUsed() const {
  std::set<std::shared_ptr<File>> files;  // a set, since a file may have several names
  for (const auto& [path, file] : now_) files.insert(file);
  uint64_t bytes = 0;
  for (const auto& file : files) bytes += file == nullptr ? 0 : file->bytes.size();
  return bytes;
}

}  // namespace sippar::engine
