// A whole cluster: tablet servers, masters, the lock service, clients, and what happens to them.
// Used by cluster*.cc. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/cluster_data.h"
#include "cluster/location/metadata_table.h"
#include "tests/sim/row_history.h"
#include "tests/sim/sim_locks.h"
#include "tests/sim/sim_transport.h"
#include "tests/sim/sim_world.h"
#include "tests/sim/workloads/row_client.h"

namespace sippar::sim {

// Drawn from the seed. Each kind of trouble is there in a part of the histories, so that one does
// not hide what another would show.
struct ClusterKnobs {
  engine::TableSchema schema;
  std::vector<std::string> split_keys;
  std::vector<std::string> rows;
  engine::StoreOptions store;
  cluster::master::MasterOptions policy;
  uint64_t servers = 3;
  uint64_t operations_each = 20;
  int64_t lease_us = 200'000;
  int64_t call_us = 500'000;
  uint64_t crash_point_one_in = 0;  // passages of any crash point that kill the machine
  bool server_kills = false;
  bool master_kills = false;
  bool lock_kills = false;
  bool drains = false;
  bool freezes = false;
  bool late_writes = false;  // by who was taken for dead meanwhile
  bool clock_jumps = false;
  bool partitions = false;
  bool disk_stops = false;  // full, read-only, hanging
  bool reshapes = false;
  bool alters = false;
  DiskFaults disk;
  NetworkFaults network;

  static ClusterKnobs Draw(engine::Random* random);
};

class Cluster {
 public:
  Cluster(World* world, const ClusterKnobs& knobs);

  // The whole history, as the first thread of the test's machine.
  void Run();
  const RowHistories& histories() const { return histories_; }
  uint64_t kills() const { return kills_; }
  void AtCrashPoint(const char* name);

  // Of the alterer alone: no other client sees it.
  static constexpr char kOwnFamily[] = "x";

 private:
  static constexpr MachineId kFirstServer = 1;
  static constexpr MachineId kFirstMaster = 11;
  static constexpr MachineId kLocks = 20;
  static constexpr MachineId kFirstClient = 31;
  static constexpr uint64_t kMasters = 2;
  static constexpr uint64_t kClients = 4;
  static constexpr int64_t kServedAgainMicros = 60'000'000;  // the bound of I6

  // What a process needs of the others. Ends with its machine, not by a destructor.
  struct Process {
    Process(Cluster* cluster, MachineId machine);
    // Tries until it reaches the lock service.
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
    bool up = false;  // its process runs, and may be starting
    bool frozen = false;
    int64_t wakes_us = 0;  // then it is started, or goes on
    ServerEndpoint* server = nullptr;
  };
  enum class Reshaping : uint8_t { kCompact, kSplit, kSplitMetadata, kMerge, kFlush };
  class Store;
  class Alterer;

  // Processes (cluster.cc).
  void Start(MachineId id);
  void LockMain();
  void MasterMain(MachineId id);
  void ServerMain(MachineId id);
  cluster::TabletServerOptions OptionsOf(MachineId id, Process* process);
  void Stop(MachineId id, bool power_lost);
  void Drain(MachineId id);
  void CreateTable();
  bool IsServer(MachineId id) const { return id < kFirstMaster; }
  std::string NameOf(MachineId id) const;

  // Clients (cluster_client.cc, cluster_alters.cc).
  void ClientMain(MachineId id);
  void AlterMain(MachineId id);
  bool ServesAll(int64_t limit_us);
  template <typename T>
  StatusOr<T> OnMaster(MachineId id, std::function<StatusOr<T>(cluster::AdminApi*)> work);

  // What happens to them (cluster_faults.cc).
  void Trouble();
  void MakeTrouble();
  void WakeMachines(bool all);
  void Freeze(MachineId id);
  void WriteLate(MachineId id);
  void WakeWhenRenamed(MachineId id, const std::string& log);
  void Partition();
  void StopDisk();
  void Reshape(Reshaping kind, const std::string& row);
  void ReshapeBehind();
  StatusOr<bool> SplitMetadata(MachineId master, const std::string& row);
  void StopTrouble();
  MachineId DrawServer();

  // What must hold (cluster_checks.cc).
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
  std::string metadata_cut_;  // where METADATA was split last, as a row of the table
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
