// AdminApi over one server's store. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "cluster/master/backup_handler.h"
#include "engine/store/store.h"

namespace sippar::cluster {

class AdminHandler final : public AdminApi {
 public:
  explicit AdminHandler(engine::Store* store) : store_(store), backups_(store->backups()) {}

  BackupApi* backups() override { return &backups_; }
  Status CreateTable(const TableSchema& schema,
                     const std::vector<std::string>& split_keys) override {
    return store_->CreateTable(schema, split_keys);
  }
  Status AlterTable(const TableSchema& schema, uint64_t expected_version) override {
    return store_->AlterTable(schema, expected_version);
  }
  Status DropTable(const std::string& table) override { return store_->DropTable(table); }
  StatusOr<TableInfo> GetTable(const std::string& table) override;
  StatusOr<std::shared_ptr<const TableSchema>> GetSchema(const std::string& table) override {
    return store_->Schema(table);
  }
  StatusOr<std::vector<TableInfo>> ListTables() override;
  Status Flush(const std::string& table) override { return store_->Flush(table); }
  Status Compact(const std::string& table, const std::string& group) override {
    return store_->CompactMajor(table, group);
  }
  Status Split(const std::string& table, const std::string& row) override {
    return store_->Split(table, row);
  }
  Status Merge(const std::string& table, const engine::RowRange& rows) override {
    return store_->Merge(table, rows);
  }
  Status Verify(const std::string& table) override;
  StatusOr<std::vector<GroupStats>> Stats(const std::string& table) override;
  std::map<std::string, uint64_t> Metrics() override;
  std::vector<CompactionInfo> Compactions() override;
  StatusOr<std::vector<HotTablet>> HotTablets(int64_t start_us, int64_t end_us) override {
    return store_->host()->hot_tablets().List(start_us, end_us);
  }
  StatusOr<NamedRecord> GetRecord(const std::string& name) override {
    return store_->records()->Get(name);
  }
  StatusOr<std::vector<NamedRecord>> ListRecords(const std::string& prefix) override {
    return store_->records()->List(prefix);
  }
  Status PutRecord(const std::string& name, const std::string& body, uint64_t version) override {
    return store_->records()->Put(name, body, version);
  }
  Status DeleteRecord(const std::string& name, uint64_t version) override {
    return store_->records()->Delete(name, version);
  }
  StatusOr<std::string> DumpTablets(const std::string& table) override;

 private:
  engine::Store* store_;
  BackupHandler backups_;
};

}  // namespace sippar::cluster
