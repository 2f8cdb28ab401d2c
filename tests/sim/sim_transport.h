// The cluster's calls over the simulated network: each call is a closure that runs in the process
// it is sent to, with delays, losses and repetitions; streams come in pages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/transport.h"
#include "cluster/master/act/cluster_admin.h"
#include "cluster/master/act/master_driver.h"
#include "cluster/tabletserver/tablet_server.h"
#include "tests/sim/sim_world.h"

namespace sippar::sim {

// The objects that a tablet server's machine serves.
struct ServerEndpoint {
  std::shared_ptr<cluster::TabletServer> server;
  std::map<uint64_t, std::shared_ptr<cluster::CellStream>> cursors;
  uint64_t next_cursor = 1;
  // Called when the server has loaded this tablet of a user's table. The call may kill its machine
  // and then does not return.
  std::function<void(const cluster::TabletRecord& tablet)> on_load;
};

// The objects that a master's machine serves.
struct MasterEndpoint {
  std::unique_ptr<cluster::master::MasterDriver> driver;
  std::unique_ptr<cluster::master::ClusterAdmin> admin;
};

// The machines of all servers and masters.
struct Addresses {
  std::map<std::string, MachineId> servers;
  std::vector<MachineId> masters;
};

// The transport of one process.
class SimTransport final : public cluster::Transport {
 public:
  SimTransport(World* world, const Addresses* addresses, int64_t timeout_us)
      : world_(world), addresses_(addresses), timeout_us_(timeout_us) {}
  // Every connection counts as cut, so that only the flock of its log shows whether a process is
  // alive.
  bool IsCut(const cluster::ServerId&) override { return true; }
  std::shared_ptr<cluster::TabletService> Tablets(const cluster::ServerId& server,
                                                  net::Lane lane) override;
  std::shared_ptr<cluster::TabletControl> Control(const cluster::ServerId& server) override;
  // Returns null: administrators in a simulation call the master's machine themselves.
  std::shared_ptr<cluster::AdminApi> Admin() override { return nullptr; }
  std::shared_ptr<cluster::MasterNotices> Notices() override;

 private:
  World* const world_;
  const Addresses* const addresses_;
  const int64_t timeout_us_;
};

}  // namespace sippar::sim
