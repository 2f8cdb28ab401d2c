// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/local_network.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::cluster {
namespace {

constexpr int64_t kLeaveMicros = 1'000;  // time between two checks whether all calls have ended

// How one role calls one server: directly, if the server has not been removed.
struct Line {
  ServerId server;
  std::weak_ptr<LocalNetwork::ServerPort> port;
  std::shared_ptr<const std::atomic<bool>> cut;

  StatusOr<std::shared_ptr<LocalNetwork::ServerPort>> Reach() const {
    // Checks this first: a role that has ended must do nothing more, even if the server still runs.
    if (cut->load(std::memory_order_relaxed))
      return Cancelled("the server or master that made this call has ended");
    if (auto reached = port.lock()) [[likely]]
      return reached;
    return Unavailable(fmt::format("server {} has stopped", server.ToString()));
  }
};

class LocalTablets final : public TabletService {
 public:
  explicit LocalTablets(Line line) : line_(std::move(line)) {}

  void Carry(const AnyCall& call, const CallOptions& options) override {
    auto port = Reach();
    if (!port.ok()) return Refuse(call, port.status());
    (*port)->server->Tablets()->Carry(call, options);
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress& tablet, const ReadSpec& read,
                                             const CallOptions& options) override {
    ASSIGN_OR_RETURN(auto port, Reach());
    return port->server->Tablets()->Read(tablet, read, options);
  }
  Status Run(const TabletAddress& tablet, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override {
    ASSIGN_OR_RETURN(auto port, Reach());
    return port->server->Tablets()->Run(tablet, program, options, sink);
  }
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const TabletAddress& tablet,
                                                      const ChangesRequest& request,
                                                      const CallOptions& options) override {
    ASSIGN_OR_RETURN(auto port, Reach());
    return port->server->Tablets()->ReadChanges(tablet, request, options);
  }

 private:
  // Returns NotServed, not kUnavailable, if the server has stopped: nothing was done, so the client
  // may send even a write to another server. Writes in a cluster of one have no request ids, so
  // after kUnavailable (outcome unknown) the client does not repeat them. After a restart of the
  // process METADATA still names the servers of before, so the first write to them would then fail.
  StatusOr<std::shared_ptr<LocalNetwork::ServerPort>> Reach() const {
    auto port = line_.Reach();
    if (port.status().code() != StatusCode::kUnavailable) [[likely]]
      return port;
    return NotServed(std::string(MessageOf(port.status())));
  }

  const Line line_;
};

class LocalControl final : public TabletControl {
 public:
  explicit LocalControl(Line line) : line_(std::move(line)) {}

  void Carry(const AnyCall& call, const CallOptions& options) override {
    // kUnavailable stays as it is: the master may repeat every one of these calls, but would take
    // NotServed for a server's final answer (cluster/api/control_calls.h).
    auto port = line_.Reach();
    if (!port.ok()) return Refuse(call, port.status());
    (*port)->server->Control()->Carry(call, options);
  }

 private:
  const Line line_;
};

}  // namespace

void LocalNetwork::Add(std::shared_ptr<TabletServer> server) {
  engine::MutexLock lock(&mutex_);
  const ServerId id = server->id();
  servers_[id] = std::make_shared<ServerPort>(ServerPort{std::move(server)});
}

void LocalNetwork::Remove(const ServerId& server, engine::Clock* clock) {
  std::weak_ptr<ServerPort> port = Find(server);
  {
    engine::MutexLock lock(&mutex_);
    servers_.erase(server);
  }
  // Each caller holds the port during its call, so the last reference disappears with the last
  // call, without a notification. A count of calls with a condition variable would cost every call
  // a lock, while only the end of a server waits here.
  while (!port.expired()) clock->SleepMicros(kLeaveMicros);
}

std::weak_ptr<LocalNetwork::ServerPort> LocalNetwork::Find(const ServerId& server) const {
  engine::MutexLock lock(&mutex_);
  auto found = servers_.find(server);
  return found == servers_.end() ? std::weak_ptr<ServerPort>() : found->second;
}

void LocalNetwork::Add(MasterPort master) {
  engine::MutexLock lock(&mutex_);
  masters_.push_back(std::move(master));
}

void LocalNetwork::Remove(const master::MasterDriver* master) {
  engine::MutexLock lock(&mutex_);
  // The last master stays, because Master() must return one; its calls then answer kUnavailable.
  if (masters_.size() == 1) return;
  std::erase_if(masters_, [&](const MasterPort& port) { return port.driver.get() == master; });
}

MasterPort LocalNetwork::Master() const {
  std::vector<MasterPort> masters;
  {
    engine::MutexLock lock(&mutex_);
    masters = masters_;
  }
  // Look is OK only if the driver reigns and has started; the state that it shows is not needed.
  // Look takes the driver's lock. So mutex_ is not held here, and the masters were copied above.
  for (const MasterPort& master : masters) {
    if (master.driver->Look([](master::MasterState&) {}).ok()) return master;
  }
  return masters.back();
}

std::shared_ptr<TabletService> LocalTransport::Tablets(const ServerId& server, net::Lane) {
  return std::make_shared<LocalTablets>(Line{server, network_->Find(server), cut_});
}

std::shared_ptr<TabletControl> LocalTransport::Control(const ServerId& server) {
  return std::make_shared<LocalControl>(Line{server, network_->Find(server), cut_});
}

}  // namespace sippar::cluster
