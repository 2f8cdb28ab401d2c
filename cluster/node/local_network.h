// The transport between roles that share a process: direct calls. Each role has its own
// LocalTransport, its line, which is cut when the role ends, so that none of its calls continue.
// After a server was removed from the network, no caller can reach it, even with a handle from
// before, and a client's call to it certainly does nothing. A master that was removed is found no
// more.
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

// One master candidate, as other roles reach it.
struct MasterPort {
  std::shared_ptr<master::MasterDriver> driver;
  std::shared_ptr<AdminApi> admin;
};

// Thread safe.
class LocalNetwork {
 public:
  // Owns a server. Callers hold the port during a call.
  struct ServerPort {
    std::shared_ptr<TabletServer> server;
  };
  void Add(std::shared_ptr<TabletServer> server);
  // Returns when no call to the server is running and no other call can begin.
  void Remove(const ServerId& server, engine::Clock* clock);
  void Add(MasterPort master);
  void Remove(const master::MasterDriver* master);

  std::weak_ptr<ServerPort> Find(const ServerId& server) const;
  // Returns the master that reigns and has read METADATA. If there is none, returns any master,
  // most of whose calls answer kUnavailable; so that there is one, the last master is never
  // removed. Requires: a master was added.
  MasterPort Master() const;

 private:
  mutable engine::Mutex mutex_;
  std::map<ServerId, std::shared_ptr<ServerPort>> servers_ GUARDED_BY(mutex_);
  std::vector<MasterPort> masters_ GUARDED_BY(mutex_);
};

class LocalTransport final : public Transport {
 public:
  // `network` outlives everything that this object returns. `loses_answers` false promises that
  // every call is answered: the process has one server with one life.
  LocalTransport(LocalNetwork* network, bool loses_answers)
      : network_(network), loses_answers_(loses_answers) {}
  // Calls to servers that begin after this fail with kCancelled, which no caller retries.
  void Cut() { *cut_ = true; }
  const CancelFlag& cut() const { return cut_; }

  bool LosesAnswers() const override { return loses_answers_; }
  std::shared_ptr<TabletService> Tablets(const ServerId& server, net::Lane lane) override;
  std::shared_ptr<TabletControl> Control(const ServerId& server) override;
  std::shared_ptr<AdminApi> Admin() override { return network_->Master().admin; }
  std::shared_ptr<MasterNotices> Notices() override { return network_->Master().driver; }

 private:
  LocalNetwork* const network_;
  const bool loses_answers_;
  const CancelFlag cut_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace sippar::cluster
