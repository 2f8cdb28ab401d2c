// Named records of a store. SPDX-License-Identifier: Apache-2.0
#include "tests/support/store/record_book.h"

#include <fmt/format.h>

#include "engine/store/old_store.h"
#include "engine/tablet/state_file.h"

namespace sippar::engine {

Status RecordBook::Load() {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(has_directory_, fs_->Exists(directory_));
  if (!has_directory_) return OkStatus();
  ASSIGN_OR_RETURN(std::vector<NamedRecord> found, ReadRecordsOfStore(fs_, parent_));
  for (NamedRecord& record : found) records_[record.name] = std::move(record);
  return OkStatus();
}

StatusOr<NamedRecord> RecordBook::Get(const std::string& name) const {
  MutexLock lock(&mutex_);
  auto found = records_.find(name);
  if (found == records_.end()) return NotFound(fmt::format("there is no {}", name));
  return found->second;
}

std::vector<NamedRecord> RecordBook::List(const std::string& prefix) const {
  MutexLock lock(&mutex_);
  std::vector<NamedRecord> found;
  for (auto at = records_.lower_bound(prefix);
       at != records_.end() && at->first.starts_with(prefix); ++at) {
    found.push_back(at->second);
  }
  return found;
}

Status RecordBook::Put(const std::string& name, const std::string& body, uint64_t version) {
  NamedRecord record{name, body, version + 1};
  RETURN_IF_ERROR(record.Validate());
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(CheckVersion(name, version));
  RETURN_IF_ERROR(MakeDirectory());
  RETURN_IF_ERROR(
      WriteStateFile(fs_, directory_ + "/" + RecordFileName(name), kRecordMagic, record.Encode()));
  records_[name] = std::move(record);
  return OkStatus();
}

Status RecordBook::Delete(const std::string& name, uint64_t version) {
  MutexLock lock(&mutex_);
  if (!records_.contains(name)) return NotFound(fmt::format("there is no {}", name));
  RETURN_IF_ERROR(CheckVersion(name, version));
  RETURN_IF_ERROR(fs_->Remove(directory_ + "/" + RecordFileName(name)));
  records_.erase(name);
  return fs_->SyncDir(directory_);
}

Status RecordBook::CheckVersion(const std::string& name, uint64_t version) const {
  auto found = records_.find(name);
  uint64_t present = found == records_.end() ? 0 : found->second.version;
  if (present == version) return OkStatus();
  return Aborted(fmt::format("{} was changed by somebody else meanwhile (version {}, not {})", name,
                             present, version));
}

// With the first record: a store that has none is as it was before there were any.
Status RecordBook::MakeDirectory() {
  if (has_directory_) return OkStatus();
  RETURN_IF_ERROR(fs_->CreateDir(directory_));
  RETURN_IF_ERROR(fs_->SyncDir(parent_));
  has_directory_ = true;
  return OkStatus();
}

}  // namespace sippar::engine
