// BackupApi of a cluster. A backup is a file that names SSTables, as METADATA does: the sweep
// counts its names like those (garbage_plan.h), so nothing is copied or linked, and a table is
// restored by rows of METADATA with the same names. What a reigning master does; all state is on
// disk. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "cluster/api/backup_api.h"
#include "cluster/master/act/action_job.h"
#include "cluster/master/act/master_driver.h"
#include "engine/base/thread.h"
#include "engine/store/backup_manifest.h"

namespace sippar::cluster::master {

// Every backup in the shared directory, by number; `visit` gets what is there. An error when one
// cannot be read: nobody knows what it names.
[[nodiscard]] Status ScanBackups(
    engine::FileSystem* fs, const std::string& directory,
    const std::function<Status(uint64_t number, engine::BackupManifest manifest)>& visit);
// Paths of manifests that were made, not deleted, and are not there.
[[nodiscard]] StatusOr<std::vector<std::string>> ListLostBackups(engine::FileSystem* fs,
                                                                 const std::string& directory);
[[nodiscard]] Status RemoveBackup(engine::FileSystem* fs, const std::string& directory,
                                  uint64_t number);

class ClusterBackups final : public BackupApi {
 public:
  // `make`: a table that begins with these states. All outlive it.
  using MakeTable =
      std::function<Status(const TableSchema& schema, std::vector<engine::TabletState> states)>;
  ClusterBackups(MasterDriver* driver, AdminApi* admin, ActionPlaces places, MakeTable make)
      : driver_(driver), admin_(admin), places_(std::move(places)), make_(std::move(make)) {}

  // Each tablet as at some moment of the call.
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
  // Makes the tables that a store had and kept (node/store_upgrade.h) of their manifests, which go.
  // Again after a crash.
  [[nodiscard]] Status AdoptTables();

 private:
  struct Held {
    uint64_t number = 0;
    engine::BackupManifest manifest;
  };
  Status Adopt(uint64_t number) REQUIRES(mutex_);
  Status DropUntil(const std::string& table, int64_t until_us);
  StatusOr<std::vector<Held>> ReadAll() const;  // whose time is not over, in order of time
  StatusOr<Held> Find(const std::string& name) const;
  Status CheckNew(const std::string& name) const;
  StatusOr<BackupInfo> Write(const Held& held) const;
  StatusOr<BackupInfo> Add(engine::BackupManifest manifest) REQUIRES(mutex_);
  // Schema and flushed tablets of the table; their names were read from *read_ns on.
  Status Collect(const std::string& table, engine::BackupManifest* manifest,
                 int64_t* read_ns) const;

  MasterDriver* const driver_;
  AdminApi* const admin_;
  const ActionPlaces places_;
  const MakeTable make_;
  engine::Mutex mutex_;  // one change at a time
};

}  // namespace sippar::cluster::master
