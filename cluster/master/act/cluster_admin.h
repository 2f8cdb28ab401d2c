// AdminApi of a cluster. Schema changes and merges are requests to the master; work on tablets goes
// to the servers that serve them. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "cluster/api/transport.h"
#include "cluster/master/act/cluster_backups.h"
#include "cluster/master/act/master_driver.h"

namespace sippar::cluster::master {

class ClusterAdmin final : public AdminApi {
 public:
  ClusterAdmin(MasterDriver* driver, const ActionPlaces& places);

  ClusterBackups* backups() override { return &backups_; }
  Status CreateTable(const TableSchema& schema,
                     const std::vector<std::string>& split_keys) override;
  Status AlterTable(const TableSchema& schema, uint64_t expected_version) override;
  Status DropTable(const std::string& table) override;
  StatusOr<TableInfo> GetTable(const std::string& table) override;
  StatusOr<std::shared_ptr<const TableSchema>> GetSchema(const std::string& table) override;
  StatusOr<std::vector<TableInfo>> ListTables() override;
  Status Flush(const std::string& table) override;
  Status Compact(const std::string& table, const std::string& group) override;
  Status Split(const std::string& table, const std::string& row) override;
  Status Merge(const std::string& table, const engine::RowRange& rows) override;
  Status Verify(const std::string& table) override;
  StatusOr<std::vector<GroupStats>> Stats(const std::string& table) override;
  std::map<std::string, uint64_t> Metrics() override;
  std::vector<CompactionInfo> Compactions() override;
  StatusOr<std::vector<HotTablet>> HotTablets(int64_t start_us, int64_t end_us) override;
  StatusOr<NamedRecord> GetRecord(const std::string& name) override;
  StatusOr<std::vector<NamedRecord>> ListRecords(const std::string& prefix) override;
  Status PutRecord(const std::string& name, const std::string& body, uint64_t version) override;
  Status DeleteRecord(const std::string& name, uint64_t version) override;
  StatusOr<std::string> DumpTablets(const std::string& table) override;

 private:
  struct Place {
    uint64_t tablet_id = 0;
    RowRange range;
    ServerId server;  // none while no server serves the tablet
    uint64_t master_epoch = 0;
  };
  Status Create(const TableSchema& schema, const std::vector<std::string>& split_keys,
                std::vector<engine::TabletState> states);
  Status Alter(const TableSchema& schema, uint64_t expected_version);
  // Finds the tablet that has `row`. kNotFound: table not found.
  StatusOr<Place> Find(const std::string& table, const std::string& row);
  // Calls `call` for each tablet's server in key order; retries where a tablet has moved since it
  // was looked up.
  Status OnTablets(const std::string& table,
                   const std::function<Status(TabletControl* control, const Place& place)>& call);
  // The same for the tablet that has `row`; sets *limit to the end of its rows.
  Status OnTablet(const std::string& table, const std::string& row,
                  const std::function<Status(TabletControl* control, const Place& place)>& call,
                  std::string* limit);
  std::vector<ServerId> LiveServers();

  MasterDriver* const driver_;
  Transport* const transport_;
  engine::Clock* const clock_;
  ClusterBackups backups_;
};

}  // namespace sippar::cluster::master
