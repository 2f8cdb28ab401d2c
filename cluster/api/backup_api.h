// Backups of tables, and dropped tables that are kept for a while so that they can be restored, in
// plain C++ types. Table names are those of the store; the caller chooses backup names freely.
// Thread safe. A change is durable when its call returns OK. Times are microseconds since the Unix
// epoch. SPDX-License-Identifier: Apache-2.0
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

  // Backs up the table with everything that was acknowledged before the call. The backup shows one
  // moment of the table; in a cluster each tablet has its own moment. kNotFound: table not found;
  // kAlreadyExists: the backup exists.
  [[nodiscard]] virtual StatusOr<BackupInfo> CreateBackup(const std::string& name,
                                                          const std::string& table,
                                                          int64_t expires_us) = 0;
  [[nodiscard]] virtual StatusOr<BackupInfo> CopyBackup(const std::string& source,
                                                        const std::string& name,
                                                        int64_t expires_us) = 0;
  [[nodiscard]] virtual StatusOr<BackupInfo> GetBackup(const std::string& name) = 0;  // kNotFound
  // Sorted by time.
  [[nodiscard]] virtual StatusOr<std::vector<BackupInfo>> ListBackups() = 0;
  [[nodiscard]] virtual StatusOr<BackupInfo> SetBackupExpiry(const std::string& name,
                                                             int64_t expires_us) = 0;
  [[nodiscard]] virtual Status DeleteBackup(const std::string& name) = 0;
  // Creates a table with the schema and data of the backup, but never protected against deletion.
  // kAlreadyExists: the table exists.
  [[nodiscard]] virtual Status RestoreTable(const std::string& name, const std::string& table) = 0;
  // Like AdminApi::DropTable, but the table can be undeleted for `keep_us`, and occupies its disk
  // space until then. On a full disk it is removed at once.
  [[nodiscard]] virtual Status DropTable(const std::string& table, int64_t keep_us) = 0;
  // Restores the table of this name that was dropped last. kNotFound: there is none, or the time
  // for which it was kept is over.
  [[nodiscard]] virtual Status UndeleteTable(const std::string& table) = 0;
};

}  // namespace sippar::cluster
