// The transport between roles that share a process: direct calls. Each role has a LocalTransport of
// its own, its line, which is cut when the role ends, so that none of its calls continue. A server
// or master that was removed from the network is gone for every caller, even one that still has a
// handle to it, and a client's call to it certainly does nothing.
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
  // Held by callers during a call.
  struct ServerPort {
    std::shared_ptr<TabletServer> server;
  };
  void Add(std::shared_ptr<TabletServer> server);
  // Returns when no call to the server is running and none can begin.
  void Remove(const ServerId& server, engine::Clock* clock);
  void Add(MasterPort master);
  void Remove(const master::MasterDriver* master);

  std::weak_ptr<ServerPort> Find(const ServerId& server) const;
  // The reigning master. If none reigns: any, whose calls answer kUnavailable; for that, the last
  // one is never removed. Requires that one was added.
  MasterPort Master() const;

 private:
  mutable engine::Mutex mutex_;
  std::map<ServerId, std::shared_ptr<ServerPort>> servers_ GUARDED_BY(mutex_);
  std::vector<MasterPort> masters_ GUARDED_BY(mutex_);
};

class LocalTransport final : public Transport {
 public:
  // `network` outlives what this hands out. `loses_answers` false promises that every call is
  // answered, for a process with one server and one life.
  LocalTransport(LocalNetwork* network, bool loses_answers)
      : network_(network), loses_answers_(loses_answers) {}
  // Calls that begin after this answer kCancelled, which no caller retries.
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
