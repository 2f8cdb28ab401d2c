// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/table_directory.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "cluster/location/table_file.h"
#include "cluster/lock/lock_paths.h"

namespace sippar::cluster {

TableDirectory::TableDirectory(LockSession* session) : session_(session) {
  ids_[kMetadataName] = kMetadataTableId;
}

void TableDirectory::Forget(const std::string& name, uint64_t id) {
  engine::MutexLock lock(&mutex_);
  auto found = ids_.find(name);
  if (found != ids_.end() && found->second == id && id != kMetadataTableId) ids_.erase(found);
}

StatusOr<uint64_t> TableDirectory::LookUp(const std::string& name) {
  // The files of the other cached tables need not be read again, because a table never changes its
  // name. If another thread has cached the wanted table meanwhile, its file is read all the same,
  // which shows whether the table still exists.
  std::set<std::string> known;
  {
    engine::MutexLock lock(&mutex_);
    for (const auto& [known_name, id] : ids_) {
      if (known_name != name) known.insert(std::to_string(id));
    }
  }
  auto files = session_->ReadDirectory(lock_paths::Tables(), known);
  if (!files.ok()) return Annotate(files.status(), fmt::format("look up table {}", name));
  std::optional<uint64_t> found;
  for (const NamedLockFile& file : *files) {
    ASSIGN_OR_RETURN(uint64_t id, lock_paths::ParseTable(file.name));
    if (!HoldsLiveTable(file.file.content)) continue;
    auto table = DecodeTableFile(file.file.content);
    if (!table.ok()) return Annotate(table.status(), fmt::format("file of table {}", id));
    // The loop goes on after a match, to cache all tables: the look-up of another name then reads
    // only new files.
    if (table->schema.name == name) found = id;
    engine::MutexLock lock(&mutex_);
    ids_[table->schema.name] = id;
  }
  if (found) return *found;
  return NotFound(fmt::format("table '{}' not found", name));
}

}  // namespace sippar::cluster
