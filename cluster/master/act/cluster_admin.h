// AdminApi of a cluster. Schema changes and merges are requests to the master; work on tablets goes
// to the servers that serve them. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "cluster/api/call_time.h"
#include "cluster/api/cluster_status.h"
#include "cluster/api/transport.h"
#include "cluster/master/act/cluster_backups.h"
#include "cluster/master/act/master_driver.h"
#include "cluster/master/act/statement_registry.h"
#include "cluster/master/act/table_work.h"

namespace sippar::cluster::master {

class ClusterAdmin final : public AdminApi {
 public:
  ClusterAdmin(MasterDriver* driver, const ActionPlaces& places);

  void Carry(const AnyCall& call, const CallOptions& options) override;
  ClusterBackups* backups() { return &backups_; }

 private:
  // Each function carries out one call; `backups_` carries out those of BackupCalls, and
  // `statements_` those of StatementCalls.
  Status Perform(const calls::CreateTable& asked, const CallTime& time);
  Status Perform(const calls::AlterTable& asked, const CallTime& time);
  Status Perform(const calls::DropTable& asked, const CallTime& time);
  StatusOr<TableInfo> Perform(const calls::GetTable& asked, const CallTime& time);
  StatusOr<std::shared_ptr<const TableSchema>> Perform(const calls::GetSchema& asked,
                                                       const CallTime& time);
  StatusOr<std::vector<TableInfo>> Perform(const calls::ListTables& asked, const CallTime& time);
  Status Perform(const calls::Flush& asked, const CallTime& time);
  Status Perform(const calls::Compact& asked, const CallTime& time);
  Status Perform(const calls::Split& asked, const CallTime& time);
  Status Perform(const calls::Merge& asked, const CallTime& time);
  Status Perform(const calls::Verify& asked, const CallTime& time);
  StatusOr<std::vector<GroupStats>> Perform(const calls::Stats& asked, const CallTime& time);
  StatusOr<std::map<std::string, uint64_t>> Perform(const calls::Metrics& asked,
                                                    const CallTime& time);
  StatusOr<std::vector<CompactionInfo>> Perform(const calls::Compactions& asked,
                                                const CallTime& time);
  StatusOr<std::vector<CallTraceInfo>> Perform(const calls::Traces& asked, const CallTime& time);
  StatusOr<std::vector<HotTablet>> Perform(const calls::HotTablets& asked, const CallTime& time);
  StatusOr<NamedRecord> Perform(const calls::GetRecord& asked, const CallTime& time);
  StatusOr<std::vector<NamedRecord>> Perform(const calls::ListRecords& asked, const CallTime& time);
  Status Perform(const calls::PutRecord& asked, const CallTime& time);
  Status Perform(const calls::DeleteRecord& asked, const CallTime& time);
  StatusOr<std::string> Perform(const calls::DumpTablets& asked, const CallTime& time);
  StatusOr<std::vector<ServerInfo>> Perform(const calls::ListServers& asked, const CallTime& time);
  StatusOr<ClusterHealth> Perform(const calls::ClusterStatus& asked, const CallTime& time);
  StatusOr<std::vector<TabletEventInfo>> Perform(const calls::TabletEvents& asked,
                                                 const CallTime& time);
  Status Perform(const calls::MoveTablet& asked, const CallTime& time);
  Status Perform(const calls::SetBalancing& asked, const CallTime& time);
  Status Perform(const calls::BalanceNow& asked, const CallTime& time);
  Status Perform(const calls::DrainServer& asked, const CallTime& time);
  Status Perform(const calls::LetBack& asked, const CallTime& time);

  Status Create(const calls::CreateTable& asked, std::vector<engine::TabletState> states,
                const CallTime& time);
  Status Alter(const TableSchema& schema, uint64_t expected_version, const CallTime& time);
  StatusOr<std::vector<TabletPlace>> PlacesOf(const std::string& table,
                                              const std::vector<RowRange>& rows) const;
  StatusOr<std::vector<ServerId>> LiveServers();
  // Progress of the move of one tablet to a requested server.
  struct MoveCourse {
    bool is_served = false;  // the requested server serves the tablet
    bool is_moving = false;  // the tablet is moving to that server
    std::string error;       // the tablet's last failure
  };
  StatusOr<MoveCourse> CourseOf(const calls::MoveTablet& asked, const ServerId& target);
  // Returns after the master has listed the servers again, so that it knows a server that
  // registered before this call. Returns OK also if that takes longer than 2 s.
  Status LookAtServers(const CallTime& time);
  StatusOr<std::string> NameToDrain(const std::string& server);
  StatusOr<std::string> NameToTakeBack(const std::string& server);
  // Changes the durable orders and waits until the master has read them.
  Status ChangeOrders(const CallTime& time,
                      const std::function<void(StandingOrders* orders)>& change);
  // Asks all live servers concurrently and passes each answer to `add`, in the order of the
  // servers. A server that has ended has lost its figures, so it is left out, as is one that does
  // not know the call. Returns the servers that hold their locks and could not be reached, or did
  // not answer in time (kFiguresWaitUs).
  template <class Call, class Add>
  StatusOr<std::vector<ServerId>> AskServers(const Call& asked, const CallTime& time,
                                             const Add& add);

  MasterDriver* const driver_;
  Transport* const transport_;
  MetadataTable* const metadata_;
  engine::Clock* const clock_;
  const TableWork work_;
  ClusterBackups backups_;
  StatementRegistry statements_;
};

}  // namespace sippar::cluster::master
