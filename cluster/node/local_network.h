// The transport of roles that share a process: direct calls. Each role has a line of its own
// (LocalTransport), which is cut when the role ends, so that nothing of it goes on; a server or
// master that was taken off the network is gone for everybody, whatever they remember of it, and
// calls of clients to it certainly did nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/api/transport.h"
#include "cluster/master/act/master_driver.h"
#include "cluster/tabletserver/tablet_server.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

// One master candidate as others reach it.
struct MasterPort {
  std::shared_ptr<master::MasterDriver> driver;
  std::shared_ptr<AdminApi> admin;
};

// Thread safe.
class LocalNetwork {
 public:
  // What callers hold while they call.
  struct ServerPort {
    std::shared_ptr<TabletServer> server;
  };
  void Add(std::shared_ptr<TabletServer> server);
  // Returns when no call to it is running any more, and none will be.
  void Remove(const ServerId& server, engine::Clock* clock);
  void Add(MasterPort master);
  void Remove(const master::MasterDriver* master);

  std::weak_ptr<ServerPort> Find(const ServerId& server) const;
  // The one that reigns. When none does: any, whose calls answer kUnavailable; the last one stays
  // for that. There has been one.
  MasterPort Master() const;

 private:
  mutable engine::Mutex mutex_;
  std::map<ServerId, std::shared_ptr<ServerPort>> servers_ GUARDED_BY(mutex_);
  std::vector<MasterPort> masters_ GUARDED_BY(mutex_);
};

class LocalTransport final : public Transport {
 public:
  // `network` outlives what this hands out. `is_remote` false: every call will be answered, for a
  // process with one server and one life.
  LocalTransport(LocalNetwork* network, bool is_remote)
      : network_(network), is_remote_(is_remote) {}
  // Calls that begin later answer kCancelled, so nobody tries them again.
  void Cut() { *cut_ = true; }
  const CancelFlag& cut() const { return cut_; }

  bool IsRemote() const override { return is_remote_; }
  std::shared_ptr<TabletService> Tablets(const ServerId& server) override;
  std::shared_ptr<TabletControl> Control(const ServerId& server) override;
  std::shared_ptr<AdminApi> Admin() override { return network_->Master().admin; }
  std::shared_ptr<MasterNotices> Notices() override { return network_->Master().driver; }

 private:
  LocalNetwork* const network_;
  const bool is_remote_;
  const CancelFlag cut_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace sippar::cluster
