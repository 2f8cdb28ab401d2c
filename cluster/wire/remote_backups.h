// Implements BackupApi through sippar.v1.Store, under the rules of remote_data.h. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/api/backup_api.h"
#include "cluster/wire/store_connection.h"

namespace sippar::cluster {

class RemoteBackups final : public BackupApi {
 public:
  explicit RemoteBackups(std::shared_ptr<StoreConnection> connection)
      : connection_(std::move(connection)) {}

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

 private:
  const std::shared_ptr<StoreConnection> connection_;
};

}  // namespace sippar::cluster
