// The backups of a cluster. A backup is a file that names SSTables, as METADATA does. The sweep
// keeps the files that backups name, too (garbage_plan.h). So a backup neither copies nor links
// data, and a table is restored by writing METADATA rows with the same names. Only the process with
// the reigning master makes backups; all state is on disk. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "cluster/api/call_time.h"
#include "cluster/master/act/action_places.h"
#include "cluster/master/act/master_driver.h"
#include "engine/base/thread.h"
#include "engine/store/backup_manifest.h"

namespace sippar::cluster::master {

// Visits every backup in the shared directory with its number. Fails if a backup cannot be read,
// because the SSTables that it names would then be unknown.
[[nodiscard]] Status ScanBackups(
    engine::FileSystem* fs, const std::string& directory,
    const std::function<Status(uint64_t number, engine::BackupManifest manifest)>& visit);
// Returns the paths of manifests that were written and never deleted, but are missing.
[[nodiscard]] StatusOr<std::vector<std::string>> ListLostBackups(engine::FileSystem* fs,
                                                                 const std::string& directory);
// Deletes a backup; OK also if it does not exist.
[[nodiscard]] Status RemoveBackup(engine::FileSystem* fs, const std::string& directory,
                                  uint64_t number);

class ClusterBackups {
 public:
  // Creates a table whose first tablets have these states. All objects to which the constructor
  // gets pointers outlive this object.
  using MakeTable = std::function<Status(
      const TableSchema& schema, std::vector<engine::TabletState> states, const CallTime& time)>;
  ClusterBackups(MasterDriver* driver, AdminApi* admin, ActionPlaces places, MakeTable make)
      : driver_(driver), admin_(admin), places_(std::move(places)), make_(std::move(make)) {}

  // Each function carries out one call (cluster/api/backup_calls.h). A backup is not one snapshot:
  // each tablet is saved as it was at some moment of the call.
  StatusOr<BackupInfo> Perform(const calls::CreateBackup& asked, const CallTime& time);
  StatusOr<BackupInfo> Perform(const calls::CopyBackup& asked, const CallTime& time);
  StatusOr<BackupInfo> Perform(const calls::GetBackup& asked, const CallTime& time);
  StatusOr<std::vector<BackupInfo>> Perform(const calls::ListBackups& asked, const CallTime& time);
  StatusOr<BackupInfo> Perform(const calls::SetBackupExpiry& asked, const CallTime& time);
  Status Perform(const calls::DeleteBackup& asked, const CallTime& time);
  StatusOr<BackupChanges> Perform(const calls::GetBackupChanges& asked, const CallTime& time);
  Status Perform(const calls::RestoreTable& asked, const CallTime& time);
  Status Perform(const calls::DropAndKeepTable& asked, const CallTime& time);
  Status Perform(const calls::UndeleteTable& asked, const CallTime& time);

 private:
  struct Held {
    uint64_t number = 0;
    engine::BackupManifest manifest;
  };
  int64_t BestMicros() const;
  // Returns the backups that have not expired, in order of creation.
  StatusOr<std::vector<Held>> ReadAll() const;
  StatusOr<Held> Find(const std::string& name) const;
  Status CheckNew(const std::string& name) const;
  StatusOr<BackupInfo> Write(const Held& held) const;
  StatusOr<BackupInfo> Add(engine::BackupManifest manifest) REQUIRES(mutex_);
  // Reads the schema and the flushed tablets of the table. Sets *read_ns to a time before the
  // tablets' records, which name the files, were read.
  Status Collect(const std::string& table, const CallTime& time, engine::BackupManifest* manifest,
                 int64_t* read_ns) const;

  MasterDriver* const driver_;
  AdminApi* const admin_;
  const ActionPlaces places_;
  const MakeTable make_;
  engine::Mutex mutex_;  // held by each call that changes or restores a backup
};

}  // namespace sippar::cluster::master
