// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/file_registry.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/base/crash_point.h"

namespace sippar::engine {

std::string SstableName(uint64_t file_id) { return fmt::format("{:016x}.sst", file_id); }

std::optional<uint64_t> ParseSstableName(std::string_view name) {
  uint64_t id = 0;
  auto parsed = std::from_chars(name.data(), name.data() + name.size(), id, 16);
  bool whole = parsed.ec == std::errc() && name == SstableName(id);
  return whole ? std::optional(id) : std::nullopt;
}

SharedSstable::~SharedSstable() { registry_->Released(file_id_); }

StatusOr<const SstableReader*> SharedSstable::Reader() {
  // Takes no lock once the file is open, because every read of the file calls this.
  if (const SstableReader* ready = ready_.load(std::memory_order_acquire)) return ready;
  MutexLock lock(&mutex_);
  if (reader_ == nullptr) {
    std::string path = registry_->PathOf(file_id_);
    auto opened = SstableReader::Open(registry_->fs_, path, file_id_, registry_->cache_);
    // A state names the file, so its absence is lost data.
    if (opened.status().code() == StatusCode::kNotFound) {
      return DataLoss(fmt::format("sstable {} is missing; put it back from a copy", path));
    }
    ASSIGN_OR_RETURN(reader_, std::move(opened));
    ready_.store(reader_.get(), std::memory_order_release);
  }
  return reader_.get();
}

std::shared_ptr<SharedSstable> FileRegistry::Find(uint64_t file_id) {
  MutexLock lock(&mutex_);
  Entry& entry = entries_[file_id];
  std::shared_ptr<SharedSstable> file = entry.file.lock();
  if (file == nullptr) {
    file = std::make_shared<SharedSstable>(shared_from_this(), file_id);
    entry.file = file;
  }
  return file;
}

void FileRegistry::Name(const std::vector<uint64_t>& file_ids) {
  MutexLock lock(&mutex_);
  for (uint64_t id : file_ids) {
    Entry& entry = entries_[id];
    ++entry.names;
    entry.obsolete = false;
  }
}

void FileRegistry::Unname(const std::vector<uint64_t>& file_ids) {
  std::vector<uint64_t> unheld;
  {
    MutexLock lock(&mutex_);
    for (uint64_t id : file_ids) {
      Entry& entry = entries_[id];
      if (--entry.names > 0) continue;
      entry.obsolete = true;
      if (!entry.file.expired()) continue;
      entries_.erase(id);
      unheld.push_back(id);
    }
  }
  // Removed outside the lock, because a removal may take long on a slow disk.
  for (uint64_t id : unheld) Remove(id);
}

std::vector<uint64_t> FileRegistry::Named() const {
  MutexLock lock(&mutex_);
  std::vector<uint64_t> named;
  for (const auto& [id, entry] : entries_) {
    if (entry.names > 0) named.push_back(id);
  }
  return named;
}

std::vector<uint64_t> FileRegistry::HeldOf(const std::vector<uint64_t>& file_ids) const {
  MutexLock lock(&mutex_);
  std::vector<uint64_t> held;
  for (uint64_t id : file_ids) {
    auto found = entries_.find(id);
    if (found == entries_.end()) continue;
    if (found->second.names > 0 || !found->second.file.expired()) held.push_back(id);
  }
  return held;
}

std::string FileRegistry::PathOf(uint64_t file_id) const {
  return directory_ + "/" + SstableName(file_id);
}

void FileRegistry::Released(uint64_t file_id) {
  {
    MutexLock lock(&mutex_);
    auto found = entries_.find(file_id);
    // Keeps the file if Find made a new object for it before this lock was taken, or if a saved
    // state still names it.
    if (found == entries_.end() || !found->second.file.expired()) return;
    if (found->second.names > 0) return;
    bool obsolete = found->second.obsolete;
    entries_.erase(found);
    if (!obsolete) return;
  }
  Remove(file_id);
}

void FileRegistry::Remove(uint64_t file_id) {
  cache_->EraseFile(file_id);
  CRASH_POINT("sstable.before_removal");
  // Best effort: a file that cannot be removed is an orphan, which a sweep removes later.
  if (removes_) (void)fs_->Remove(PathOf(file_id));
}

}  // namespace sippar::engine
