// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/table_directory.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

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
  // The names of the cached tables by id. The files of these tables need not be read again, because
  // a table never changes its name. So this copy stays right even if another thread removes a name
  // from the cache during the look-up.
  std::map<uint64_t, std::string> known;
  {
    engine::MutexLock lock(&mutex_);
    for (const auto& [known_name, id] : ids_) known[id] = known_name;
  }
  std::optional<uint64_t> found;
  ASSIGN_OR_RETURN(std::vector<std::string> files, session_->List(lock_paths::Tables()));
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(uint64_t id, lock_paths::ParseTable(file));
    if (auto at = known.find(id); at != known.end()) {
      if (at->second == name) return id;
      continue;
    }
    // A cached read is at least as new as the answer of List. kNotFound: the table was dropped
    // after List.
    auto read = session_->Read(lock_paths::Table(id), Freshness::kCached);
    if (read.status().code() == StatusCode::kNotFound) continue;
    if (!read.ok()) return Annotate(read.status(), fmt::format("look up table {}", name));
    if (!HoldsLiveTable(read->content)) continue;
    auto table = DecodeTableFile(read->content);
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
