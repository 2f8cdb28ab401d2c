// Implements AdminApi through sippar.v1.Store, under the rules of remote_data.h. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "cluster/wire/remote_backups.h"
#include "cluster/wire/store_connection.h"

namespace sippar::cluster {

class RemoteAdmin final : public AdminApi {
 public:
  explicit RemoteAdmin(std::shared_ptr<StoreConnection> connection)
      : connection_(std::move(connection)), backups_(connection_) {}

  BackupApi* backups() override { return &backups_; }
  Status CreateTable(const TableSchema& schema,
                     const std::vector<std::string>& split_keys) override;
  Status AlterTable(const TableSchema& schema, uint64_t expected_version) override;
  Status DropTable(const std::string& table) override;
  StatusOr<TableInfo> GetTable(const std::string& table) override;
  StatusOr<std::vector<TableInfo>> ListTables() override;
  Status Flush(const std::string& table) override;
  Status Compact(const std::string& table, const std::string& group) override;
  Status Split(const std::string& table, const std::string& row) override;
  Status Merge(const std::string& table, const engine::RowRange& rows) override;
  Status Verify(const std::string& table) override;
  StatusOr<std::vector<GroupStats>> Stats(const std::string& table) override;
  // These two cannot report errors: they return nothing if no answer came.
  std::map<std::string, uint64_t> Metrics() override;
  std::vector<CompactionInfo> Compactions() override;
  StatusOr<std::vector<HotTablet>> HotTablets(int64_t start_us, int64_t end_us) override;
  StatusOr<NamedRecord> GetRecord(const std::string& name) override;
  StatusOr<std::vector<NamedRecord>> ListRecords(const std::string& prefix) override;
  Status PutRecord(const std::string& name, const std::string& body, uint64_t version) override;
  Status DeleteRecord(const std::string& name, uint64_t version) override;
  StatusOr<std::string> DumpTablets(const std::string& table) override;

 private:
  const std::shared_ptr<StoreConnection> connection_;
  RemoteBackups backups_;
};

}  // namespace sippar::cluster
