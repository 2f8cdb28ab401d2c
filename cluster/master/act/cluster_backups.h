// BackupApi of a cluster. A backup is a file that names SSTables, as METADATA does. The sweep
// counts the names in backups, too (garbage_plan.h), so a backup copies and links no data, and a
// table is restored by writing METADATA rows with the same names. Only the process with the
// reigning master makes backups; all state is on disk. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "cluster/api/backup_api.h"
#include "cluster/master/act/action_places.h"
#include "cluster/master/act/master_driver.h"
#include "engine/base/thread.h"
#include "engine/store/backup_manifest.h"

namespace sippar::cluster::master {

// Visits every backup in the shared directory with its number. Fails when one cannot be read,
// because the SSTables that it names would then be unknown.
[[nodiscard]] Status ScanBackups(
    engine::FileSystem* fs, const std::string& directory,
    const std::function<Status(uint64_t number, engine::BackupManifest manifest)>& visit);
// Paths of manifests that were made and not deleted, yet are missing.
[[nodiscard]] StatusOr<std::vector<std::string>> ListLostBackups(engine::FileSystem* fs,
                                                                 const std::string& directory);
// Deletes a backup; OK also when it is gone.
[[nodiscard]] Status RemoveBackup(engine::FileSystem* fs, const std::string& directory,
                                  uint64_t number);

class ClusterBackups final : public BackupApi {
 public:
  // Makes a table that begins with these tablets. All arguments outlive this object.
  using MakeTable =
      std::function<Status(const TableSchema& schema, std::vector<engine::TabletState> states)>;
  ClusterBackups(MasterDriver* driver, AdminApi* admin, ActionPlaces places, MakeTable make)
      : driver_(driver), admin_(admin), places_(std::move(places)), make_(std::move(make)) {}

  // Not one snapshot: each tablet is saved as it was at some moment of the call.
  StatusOr<BackupInfo> CreateBackup(const std::string& name, const std::string& table,
                                    int64_t expires_us) override;
  StatusOr<BackupInfo> CopyBackup(const std::string& source, const std::string& name,
                                  int64_t expires_us) override;
  StatusOr<BackupInfo> GetBackup(const std::string& name) override;
  StatusOr<std::vector<BackupInfo>> ListBackups() override;
  StatusOr<BackupInfo> SetBackupExpiry(const std::string& name, int64_t expires_us) override;
  Status DeleteBackup(const std::string& name) override;
  Status RestoreTable(const std::string& name, const std::string& table) override;
  Status DropTable(const std::string& table, int64_t keep_us) override;
  Status UndeleteTable(const std::string& table) override;
  // Makes tables of the manifests that a former store left for its tables and kept tables
  // (node/store_upgrade.h), and deletes each manifest afterwards. Repeatable after a crash.
  [[nodiscard]] Status AdoptTables();

 private:
  struct Held {
    uint64_t number = 0;
    engine::BackupManifest manifest;
  };
  Status Adopt(uint64_t number) REQUIRES(mutex_);
  Status DropUntil(const std::string& table, int64_t until_us);
  // Backups that have not expired, in order of creation.
  StatusOr<std::vector<Held>> ReadAll() const;
  StatusOr<Held> Find(const std::string& name) const;
  Status CheckNew(const std::string& name) const;
  StatusOr<BackupInfo> Write(const Held& held) const;
  StatusOr<BackupInfo> Add(engine::BackupManifest manifest) REQUIRES(mutex_);
  // Reads the schema and the flushed tablets of the table; *read_ns is a time before any of their
  // names was read.
  Status Collect(const std::string& table, engine::BackupManifest* manifest,
                 int64_t* read_ns) const;

  MasterDriver* const driver_;
  AdminApi* const admin_;
  const ActionPlaces places_;
  const MakeTable make_;
  engine::Mutex mutex_;  // held during one change of backups at a time
};

}  // namespace sippar::cluster::master
