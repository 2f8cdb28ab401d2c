// Sweep of ended lives. SPDX-License-Identifier: Apache-2.0
#include "cluster/node/life_sweep.h"

#include <map>
#include <vector>

#include "cluster/api/store_paths.h"
#include "cluster/location/tiling.h"
#include "cluster/master/cluster_backups.h"
#include "engine/base/crash_point.h"
#include "engine/tablet/file_registry.h"

namespace sippar::cluster {
namespace {

struct Names {
  std::set<uint64_t> files;  // in sst/
  std::set<ServerId> lives;

  void Add(const engine::TabletState& tablet) {
    for (uint64_t id : tablet.FileIds()) files.insert(id);
  }
};

// Backups first: what is restored meanwhile goes from there to METADATA.
StatusOr<Names> FindNames(engine::FileSystem* fs, const std::string& directory,
                          MetadataTable* metadata) {
  Names names;
  auto add_backup = [&](uint64_t, const engine::BackupManifest& manifest) {
    for (const engine::TabletState& tablet : manifest.tablets) names.Add(tablet);
    return OkStatus();
  };
  RETURN_IF_ERROR(master::ScanBackups(fs, directory, add_backup));
  std::map<uint64_t, std::vector<TabletRecord>> tables;
  RETURN_IF_ERROR(metadata->Scan(kMetadataTableId, UINT64_MAX - 1, [&](TabletRecord record) {
    names.Add(record.state);
    names.lives.insert(record.logs.begin(), record.logs.end());
    names.lives.insert(record.server);
    tables[record.table_id].push_back(std::move(record));
    return true;
  }));
  // What a split moves past the scan leaves a hole.
  for (const auto& [id, records] : tables) {
    if (!CheckTiling(records).empty()) return Aborted("tablets change just now");
  }
  return names;
}

Status RemoveDirectory(engine::FileSystem* fs, const std::string& path) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(path));
  for (const std::string& name : names) RETURN_IF_ERROR(fs->Remove(path + "/" + name));
  return fs->RemoveDir(path);
}

Status SweepLogs(engine::FileSystem* fs, const std::string& logs, const std::set<ServerId>& lives,
                 const Names& names) {
  ASSIGN_OR_RETURN(std::vector<std::string> found, fs->List(logs));
  for (const std::string& name : found) {
    // NAME.EPOCH, maybe .sealed, maybe thrown away: whoever names the life needs it.
    size_t end = name.find('.', name.find('.') + 1);
    auto life = ServerId::Parse(std::string_view(name).substr(0, end));
    if (!life.ok() || lives.contains(*life) || names.lives.contains(*life)) continue;
    RETURN_IF_ERROR(RemoveDirectory(fs, logs + "/" + name));
    CRASH_POINT("life_sweep.after_log");
  }
  return OkStatus();
}

Status SweepSstables(engine::FileSystem* fs, const std::string& sst,
                     const std::set<ServerId>& lives, const Names& names) {
  std::set<uint64_t> epochs;
  for (const ServerId& life : lives) epochs.insert(life.epoch);
  ASSIGN_OR_RETURN(std::vector<std::string> found, fs->List(sst));
  for (const std::string& name : found) {
    // Maybe thrown away.
    const size_t end = name.find(store_paths::kTrashMark);
    auto id = engine::ParseSstableName(std::string_view(name).substr(0, end));
    if (!id || epochs.contains(*id >> 32) || names.files.contains(*id)) continue;
    RETURN_IF_ERROR(fs->Remove(sst + "/" + name));
    CRASH_POINT("life_sweep.after_file");
  }
  return OkStatus();
}

}  // namespace

Status SweepEndedLives(engine::FileSystem* fs, const std::string& directory,
                       const std::set<ServerId>& lives, MetadataTable* metadata) {
  ASSIGN_OR_RETURN(Names names, FindNames(fs, directory, metadata));
  RETURN_IF_ERROR(SweepLogs(fs, store_paths::Logs(directory), lives, names));
  return SweepSstables(fs, store_paths::Sstables(directory), lives, names);
}

}  // namespace sippar::cluster
