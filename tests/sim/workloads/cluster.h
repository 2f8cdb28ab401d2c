// A whole simulated cluster: tablet servers, masters, the lock service, clients, and the faults
// that they meet. Used by cluster*.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/client/cluster_data.h"
#include "cluster/location/metadata_table.h"
#include "tests/sim/row_history.h"
#include "tests/sim/sim_locks.h"
#include "tests/sim/sim_transport.h"
#include "tests/sim/sim_world.h"
#include "tests/sim/workloads/cluster_knobs.h"
#include "tests/sim/workloads/row_client.h"

namespace sippar::sim {

class Cluster {
 public:
  Cluster(World* world, const ClusterKnobs& knobs);

  // Runs the whole history, as the first thread of the test's machine.
  void Run();
  const RowHistories& histories() const { return histories_; }
  uint64_t kills() const { return kills_; }
  void AtCrashPoint(const char* name);

  // The family that only the alterer uses.
  static constexpr char kOwnFamily[] = "x";

 private:
  static constexpr MachineId kFirstServer = 1;
  static constexpr MachineId kFirstMaster = 11;
  static constexpr MachineId kLocks = 20;
  static constexpr MachineId kFirstClient = 31;
  static constexpr uint64_t kMasters = 2;
  static constexpr uint64_t kClients = 4;
  static constexpr int64_t kServedAgainMicros = 60'000'000;  // the bound of I6

  // What a process needs to reach the others. It ends with its machine, without a destructor.
  struct Process {
    Process(Cluster* cluster, MachineId machine);
    // Retries until it reaches the lock service.
    void Join();
    Cluster* const cluster;
    engine::Clock* const clock;
    SimLockService locks;
    SimTransport transport;
    std::unique_ptr<cluster::LockSession> session;
    std::unique_ptr<cluster::ClusterData> data;
    std::unique_ptr<cluster::MetadataTable> metadata;
  };
  struct Machine {
    bool up = false;  // true if the process runs or is starting
    bool frozen = false;
    int64_t wakes_us = 0;  // time when the machine is started again or thawed
    ServerEndpoint* server = nullptr;
  };
  enum class Reshaping : uint8_t { kCompact, kSplit, kSplitMetadata, kMerge, kFlush };
  class Store;
  class Alterer;

  // --- Processes (cluster.cc).
  void Start(MachineId id);
  void LockMain();
  void MasterMain(MachineId id);
  void ServerMain(MachineId id);
  cluster::TabletServerOptions OptionsOf(MachineId id, Process* process);
  void Stop(MachineId id, bool power_lost);
  void EndFenced(MachineId id, const std::string& identity);
  void Drain(MachineId id);
  void CreateTable();
  bool IsServer(MachineId id) const { return id < kFirstMaster; }
  std::string NameOf(MachineId id) const;

  // --- Clients (cluster_client.cc, cluster_alters.cc).
  void ClientMain(MachineId id);
  void AlterMain(MachineId id);
  bool ServesAll(int64_t limit_us);
  template <typename T>
  StatusOr<T> OnMaster(MachineId id, std::function<StatusOr<T>(cluster::AdminApi*)> work);

  // --- Faults and other events (cluster_faults.cc, cluster_scenes.cc).
  void Trouble();
  void MakeTrouble();
  void WakeMachines(bool all);
  void Freeze(MachineId id);
  void FreezeUntil(MachineId id, int64_t wakes_us);
  void WriteLate(MachineId id);
  void SleepAtSecondWriter(MachineId id, const std::string& slow, uint64_t seen);
  void FallAsleep(MachineId id, const std::string& path);
  void Overtake(MachineId id, const std::string& log);
  void Partition();
  void StopDisk();
  std::shared_ptr<bool> Reshape(MachineId master, Reshaping kind, const std::string& row);
  void ReshapeBehind();
  StatusOr<bool> SplitMetadata(MachineId master, const std::string& row);
  void StopTrouble();
  MachineId DrawServer();

  // --- A row that ends each server that loads its tablet (cluster_deadly.cc).
  void DrawDeadlyRow();
  bool IsDeadly(const cluster::TabletRecord& record) const;
  void AfterLoad(MachineId id, const cluster::TabletRecord& record);
  void NoteCrash(MachineId id, const cluster::ServerId& life, uint64_t tablet_id);
  void CheckOthersServed();
  Status OthersServed();
  void LetBackAll();

  // --- Invariants (cluster_checks.cc).
  void CheckServedAgain(const char* after);
  Status CheckMetadata();
  Status CheckRecord(const cluster::TabletRecord& record);

  World* const world_;
  const ClusterKnobs knobs_;
  RowHistories histories_;
  Addresses addresses_;
  std::map<MachineId, Machine> machines_;
  uint64_t clients_left_ = 0;
  uint64_t kills_ = 0;
  bool trouble_ = false;
  bool late_write_ = false;        // true while one late write is arranged and made
  uint64_t writes_under_way_ = 0;  // unfinished writes of clients
  uint64_t writes_done_ = 0;       // acknowledged writes of clients
  std::optional<std::string> deadly_row_;
  uint64_t deadly_table_ = 0;  // the table of the deadly row
  uint64_t deadly_kills_ = 0;
  std::string metadata_cut_;  // last row at which METADATA was split, as a row of the user's table
  std::unique_ptr<Process> supervisor_;
};

template <typename T>
StatusOr<T> Cluster::OnMaster(MachineId id, std::function<StatusOr<T>(cluster::AdminApi*)> work) {
  CallOptions call;
  call.timeout_us = 3'000'000;
  return world_->network()->Call<MasterEndpoint, T>(
      id, [work = std::move(work)](MasterEndpoint* to) { return work(to->admin.get()); }, call);
}

}  // namespace sippar::sim
