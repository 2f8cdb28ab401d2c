// The cluster's calls over the simulated network: each is a closure that runs in the process it is
// for, with delays, losses and repetitions; streams come in pages.
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

// What a tablet server's machine serves.
struct ServerEndpoint {
  std::shared_ptr<cluster::TabletServer> server;
  std::map<uint64_t, std::shared_ptr<cluster::CellStream>> cursors;
  uint64_t next_cursor = 1;
  // Called when the server has loaded a tablet of a user's table with these rows. It may not
  // return.
  std::function<void(const engine::RowRange& rows)> on_load;
};

// What a master's machine serves.
struct MasterEndpoint {
  std::unique_ptr<cluster::master::MasterDriver> driver;
  std::unique_ptr<cluster::master::ClusterAdmin> admin;
};

// Where everybody is.
struct Addresses {
  std::map<std::string, MachineId> servers;
  std::vector<MachineId> masters;
};

// As one process sees it.
class SimTransport final : public cluster::Transport {
 public:
  SimTransport(World* world, const Addresses* addresses, int64_t timeout_us)
      : world_(world), addresses_(addresses), timeout_us_(timeout_us) {}
  // The flock alone has to tell a dead process from one that lives.
  bool IsCut(const cluster::ServerId&) override { return true; }
  std::shared_ptr<cluster::TabletService> Tablets(const cluster::ServerId& server,
                                                  net::Lane lane) override;
  std::shared_ptr<cluster::TabletControl> Control(const cluster::ServerId& server) override;
  // Administrators of a simulation call the master's machine themselves.
  std::shared_ptr<cluster::AdminApi> Admin() override { return nullptr; }
  std::shared_ptr<cluster::MasterNotices> Notices() override;

 private:
  World* const world_;
  const Addresses* const addresses_;
  const int64_t timeout_us_;
};

}  // namespace sippar::sim
