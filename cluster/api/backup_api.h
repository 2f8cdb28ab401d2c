// Backups of tables, and dropped tables that can be had back, in plain C++ types. Names of tables
// are those of the store, names of backups whatever the caller likes. Thread safe; what a call
// changed is durable when it is OK. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/store/backup_info.h"

namespace sippar::cluster {

using engine::BackupInfo;

class BackupApi {
 public:
  virtual ~BackupApi() = default;

  // Of the table at one moment (in a cluster: of each tablet at one), with everything acknowledged
  // before the call. kNotFound: the table;
  // kAlreadyExists: the backup.
  [[nodiscard]] virtual StatusOr<BackupInfo> CreateBackup(const std::string& name,
                                                          const std::string& table,
                                                          int64_t expires_us) = 0;
  [[nodiscard]] virtual StatusOr<BackupInfo> CopyBackup(const std::string& source,
                                                        const std::string& name,
                                                        int64_t expires_us) = 0;
  [[nodiscard]] virtual StatusOr<BackupInfo> GetBackup(const std::string& name) = 0;  // kNotFound
  // In order of time.
  [[nodiscard]] virtual StatusOr<std::vector<BackupInfo>> ListBackups() = 0;
  [[nodiscard]] virtual StatusOr<BackupInfo> SetBackupExpiry(const std::string& name,
                                                             int64_t expires_us) = 0;
  [[nodiscard]] virtual Status DeleteBackup(const std::string& name) = 0;
  // A new table as the backup's was, but not protected. kAlreadyExists: the table.
  [[nodiscard]] virtual Status RestoreTable(const std::string& name, const std::string& table) = 0;
  // As AdminApi::DropTable, but until its time is over it takes its space and can be had back. On a
  // full disk it goes at once.
  [[nodiscard]] virtual Status DropTable(const std::string& table, int64_t keep_us) = 0;
  // The last one of this name that was dropped. kNotFound: none, or its time is over.
  [[nodiscard]] virtual Status UndeleteTable(const std::string& table) = 0;
};

}  // namespace sippar::cluster
