// BackupApi over one server's store. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/api/backup_api.h"
#include "engine/store/backups.h"

namespace sippar::cluster {

class BackupHandler final : public BackupApi {
 public:
  explicit BackupHandler(engine::Backups* backups) : backups_(backups) {}

  StatusOr<BackupInfo> CreateBackup(const std::string& name, const std::string& table,
                                    int64_t expires_us) override {
    return backups_->Create(name, table, expires_us);
  }
  StatusOr<BackupInfo> CopyBackup(const std::string& source, const std::string& name,
                                  int64_t expires_us) override {
    return backups_->Copy(source, name, expires_us);
  }
  StatusOr<BackupInfo> GetBackup(const std::string& name) override { return backups_->Get(name); }
  StatusOr<std::vector<BackupInfo>> ListBackups() override { return backups_->List(); }
  StatusOr<BackupInfo> SetBackupExpiry(const std::string& name, int64_t expires_us) override {
    return backups_->SetExpiry(name, expires_us);
  }
  Status DeleteBackup(const std::string& name) override { return backups_->Delete(name); }
  Status RestoreTable(const std::string& name, const std::string& table) override {
    return backups_->Restore(name, table);
  }
  Status DropTable(const std::string& table, int64_t keep_us) override {
    return backups_->DropTable(table, keep_us);
  }
  Status UndeleteTable(const std::string& table) override { return backups_->Undelete(table); }

 private:
  engine::Backups* backups_;
};

}  // namespace sippar::cluster
