// Change streams of a store's tables: where their archives are, how long changes stay.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "engine/model/change_config.h"
#include "tests/support/store/store.h"

namespace sippar::engine {

std::string Store::ChangesOf(uint64_t table_id) const {
  return fmt::format("{}/{}", files_.changes(), table_id);
}

Status Store::PrepareChanges(const CatalogTable& before,
                             const std::vector<std::shared_ptr<Tablet>>& tablets,
                             TableSchema* schema) {
  auto config = ChangeStreamOf(*schema);
  if (!config.has_value()) return OkStatus();
  RETURN_IF_ERROR(ValidateChangeStream(*schema));
  auto old_config = ChangeStreamOf(before.schema);
  if (old_config.has_value()) {
    config->since_us = old_config->since_us;
    SetChangeStream(config, schema);
    return OkStatus();
  }
  FileSystem* fs = options_.fs;
  RETURN_IF_ERROR(fs->CreateDir(files_.changes()));
  RETURN_IF_ERROR(fs->SyncDir(files_.directory));
  RETURN_IF_ERROR(fs->CreateDir(ChangesOf(before.table_id)));
  RETURN_IF_ERROR(fs->SyncDir(files_.changes()));
  for (const auto& tablet : tablets) tablet->changes().Keep();
  config->since_us = options_.clock->NowMicros();
  SetChangeStream(config, schema);
  return OkStatus();
}

Status Store::ExpireChanges() {
  for (const CatalogTable& table : ListTables()) {
    auto config = ChangeStreamOf(table.schema);
    if (!config.has_value()) continue;
    int64_t before_us = options_.clock->NowMicros() - config->retention_us - kChangesGraceUs;
    ASSIGN_OR_RETURN(size_t removed,
                     ExpireChangeFiles(options_.fs, ChangesOf(table.table_id), before_us));
    metrics()->Get("change_files_expired")->Add(removed);
  }
  return OkStatus();
}

// What stays is swept at the next start.
void Store::RemoveChanges(const std::string& directory) {
  auto names = options_.fs->List(directory);
  if (!names.ok()) return;
  for (const std::string& name : *names) (void)options_.fs->Remove(directory + "/" + name);
  (void)options_.fs->RemoveDir(directory);
}

// Of tables that are gone or have no stream any more, and files that a crash kept from their names.
Status Store::SweepChanges() {
  std::set<std::string> kept;
  for (const CatalogTable& table : ListTables()) {
    if (ChangeStreamOf(table.schema).has_value()) kept.insert(std::to_string(table.table_id));
  }
  auto folders = options_.fs->List(files_.changes());
  if (folders.status().code() == StatusCode::kNotFound && kept.empty()) return OkStatus();
  RETURN_IF_ERROR(folders.status());
  for (const std::string& folder : *folders) {
    std::string directory = files_.changes() + "/" + folder;
    if (kept.erase(folder) == 0) {
      RemoveChanges(directory);
      continue;
    }
    // Nothing is built on files that only this machine's memory has.
    RETURN_IF_ERROR(options_.fs->SyncDir(directory));
    ASSIGN_OR_RETURN(std::vector<std::string> names, options_.fs->List(directory));
    for (const std::string& name : names) {
      if (name.ends_with(".tmp")) RemoveOrphan(directory + "/" + name);
    }
  }
  if (kept.empty()) return OkStatus();
  return DataLoss(
      fmt::format("{}/{}: the change archive is missing", files_.changes(), *kept.begin()));
}

}  // namespace sippar::engine
