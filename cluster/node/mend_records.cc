// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/mend_records.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cluster/api/store_paths.h"
#include "engine/log/log_seal.h"

namespace sippar::cluster {
namespace {

// Renames and seals a log as a recovery does, because records name only sealed logs. The life that
// wrote the log has ended, because this process holds the store's lock.
Status Seal(engine::FileSystem* fs, const std::string& directory, const ServerId& life) {
  const std::string path = store_paths::SealedLog(directory, life);
  ASSIGN_OR_RETURN(bool is_renamed, fs->Exists(path));
  if (!is_renamed) {
    RETURN_IF_ERROR(fs->Rename(store_paths::Log(directory, life), path));
    RETURN_IF_ERROR(fs->SyncDir(store_paths::Logs(directory)));
  }
  return engine::SealLog(fs, path, 0).status();
}

bool IsRoot(const TabletRecord& record) {
  return record.table_id == kMetadataTableId && record.range.start.empty();
}

StatusOr<std::vector<TabletRecord>> ReadRecords(MetadataTable* metadata, MetadataLevel level) {
  const bool is_root = level == MetadataLevel::kRoot;
  std::vector<TabletRecord> records;
  RETURN_IF_ERROR(metadata->Scan(is_root ? kMetadataTableId : kMetadataTableId + 1,
                                 is_root ? kMetadataTableId : UINT64_MAX - 1,
                                 [&](TabletRecord record) {
                                   // The root tablet's record is left out: it is in the lock
                                   // service, so damage in a log cannot make it out of date.
                                   if (!IsRoot(record)) records.push_back(std::move(record));
                                   return true;
                                 }));
  return records;
}

}  // namespace

void KnownRecords::Add(const TabletRecord& record) {
  redo[record.tablet_id] = record.state.redo_sequence;
  logs.insert(record.logs.begin(), record.logs.end());
  if (!record.server.IsNone()) servers.insert(record.server);
}

void KnownRecords::Add(const KnownRecords& other) {
  redo.insert(other.redo.begin(), other.redo.end());
  logs.insert(other.logs.begin(), other.logs.end());
  servers.insert(other.servers.begin(), other.servers.end());
}

Status MendRecords(engine::FileSystem* fs, const std::string& directory, EmbeddedLockService* locks,
                   MetadataLevel level, const LastSequences& last, KnownRecords* known,
                   const Print& print) {
  ASSIGN_OR_RETURN(std::unique_ptr<LocalCluster> cluster,
                   StartMetadata(fs, directory, locks, level));
  ASSIGN_OR_RETURN(std::vector<TabletRecord> records, ReadRecords(cluster->metadata(), level));
  for (TabletRecord& record : records) {
    known->Add(record);
    const std::vector<ServerId> unnamed = UnnamedLogs(record, last);
    for (const ServerId& life : unnamed) {
      RETURN_IF_ERROR(Seal(fs, directory, life));
      print(
          fmt::format("tablet {} of table {}: log {} has writes of it, which METADATA no "
                      "longer says; they are kept",
                      record.tablet_id, record.table_id, life.ToString()));
    }
    if (unnamed.empty()) continue;
    NameLogs(last, &record);
    RETURN_IF_ERROR(cluster->metadata()->Write(&record, {"salvaged", "its logs are named again"}));
  }
  return OkStatus();
}

void PrintUnknown(const RedoPoints& known, const LastSequences& last, const Print& print) {
  for (const auto& [life, sequences] : last) {
    for (const auto& [tablet_id, sequence] : sequences) {
      if (known.contains(tablet_id)) continue;
      print(
          fmt::format("tablet {}: METADATA does not know it; unless it was split, merged or "
                      "dropped, its writes in log {} up to sequence {} are lost",
                      tablet_id, life.ToString(), sequence));
    }
  }
}

}  // namespace sippar::cluster
