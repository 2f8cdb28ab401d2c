// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/table_actions.h"

#include <string>
#include <vector>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/table_file.h"
#include "engine/model/change_config.h"
#include "engine/store/store_files.h"

namespace sippar::cluster::master {

using event::Done;

// The directory must exist before servers get the schema, because they then write changes into it.
Status TableActions::MakeChangeDirectory(const TableRecord& table) {
  if (!engine::ChangeStreamOf(table.schema).has_value()) return OkStatus();
  const std::string all = store_paths::Changes(places_->directory);
  RETURN_IF_ERROR(places_->fs->CreateDir(all));
  RETURN_IF_ERROR(places_->fs->SyncDir(places_->directory));
  RETURN_IF_ERROR(
      places_->fs->CreateDir(store_paths::ChangesOf(places_->directory, table.table_id)));
  return places_->fs->SyncDir(all);
}

Done TableActions::Do(const action::ReadTables&) {
  auto files = session_->ReadDirectory(lock_paths::Tables());
  if (!files.ok()) return {0, files.status(), {}};
  std::vector<TableFile> all;
  for (const auto& [name, file] : *files) {
    auto id = lock_paths::ParseTable(name);
    if (!id.ok()) return {0, id.status(), {}};
    auto table = DecodeTableFile(file.content);
    if (!table.ok()) return {0, Annotate(table.status(), lock_paths::Table(*id)), {}};
    table->version = file.version;
    all.push_back(*std::move(table));
  }
  return {0, OkStatus(), std::move(all)};
}

Done TableActions::Do(const action::WriteTable& asked) {
  if (Status made = MakeChangeDirectory(*asked.table); !made.ok()) return {0, std::move(made), {}};
  std::string path = lock_paths::Table(asked.table->table_id);
  std::string content = EncodeTableFile({*asked.table, asked.life, 0, asked.kept_until_us});
  auto write = [&] {
    return asked.version == 0 ? session_->Create(path, content, LockFileKind::kLasting).status()
                              : session_->Write(path, content, asked.version).status();
  };
  Status status = write();
  // Removing a table frees space. So if the disk is full, the reserve file is deleted to make room
  // for this write (tests/FAULTS.md D6).
  bool is_full = HasCause(status, Cause::kDiskFull);
  if (is_full && asked.life != TableLife::kLive && asked.life != TableLife::kCreating &&
      engine::GiveUpReserve(places_->fs, store_paths::Reserve(places_->directory))) {
    status = write();
  }
  // If an earlier attempt succeeded and its answer was lost, the file already has the new version
  // and content.
  if (status.code() == StatusCode::kAlreadyExists || status.code() == StatusCode::kAborted) {
    auto file = session_->Read(path);
    if (file.ok() && file->content == content && file->version == asked.version + 1) return {};
  }
  return {0, std::move(status), {}};
}

Done TableActions::Do(const action::RemoveTable& asked) {
  Status status = session_->Remove(lock_paths::Table(asked.table_id), asked.version);
  return {0, status.code() == StatusCode::kNotFound ? OkStatus() : status, {}};
}

}  // namespace sippar::cluster::master
