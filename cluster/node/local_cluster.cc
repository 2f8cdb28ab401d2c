// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/local_cluster.h"

#include <fmt/format.h>

#include "cluster/node/bootstrap.h"

namespace sippar::cluster {
namespace {
constexpr int64_t kMasterPollMicros = 5'000;
}  // namespace

ClusterPlace LocalCluster::PlaceOn(LocalTransport* line) const {
  ClusterPlace place;
  place.directory = options_.directory;
  place.locks = options_.locks;
  place.transport = line;
  place.clock = options_.store.clock;
  place.lease_us = options_.lease_us;
  place.cancel = line->cut();
  return place;
}

StatusOr<std::unique_ptr<LocalCluster>> LocalCluster::Open(const LocalClusterOptions& options) {
  std::unique_ptr<LocalCluster> cluster(new LocalCluster(options));
  ASSIGN_OR_RETURN(cluster->client_,
                   ClusterView::Open(cluster->PlaceOn(&cluster->client_line_), "client"));
  LockSession* session = cluster->client_->session();
  RETURN_IF_ERROR(PrepareCluster(options.store.fs, options.directory, session,
                                 static_cast<uint64_t>(options.store.clock->NowMicros())));
  return cluster;
}

LocalCluster::~LocalCluster() {
  while (!masters_.empty()) StopMaster(masters_.begin()->first);
  while (!servers_.empty()) CrashServer(servers_.begin()->first);
}

Status LocalCluster::StartMaster(const std::string& name) {
  if (masters_.contains(name))
    return AlreadyExists(fmt::format("master {}: it runs already", name));
  Process<MasterRole> process;
  process.line = std::make_unique<LocalTransport>(&network_, options_.loses_answers);
  ASSIGN_OR_RETURN(process.role, MasterRole::Start(PlaceOn(process.line.get()), name,
                                                   options_.store.fs, options_.policy));
  network_.Add(MasterPort{process.role->driver(), process.role->admin()});
  masters_[name] = std::move(process);
  return OkStatus();
}

void LocalCluster::StopMaster(const std::string& name) {
  Process<MasterRole>& process = masters_.at(name);
  // The driver is removed from the network first, so that no new call reaches it.
  network_.Remove(process.role->driver().get());
  process.line->Cut();
  process.role->driver()->Stop();
  masters_.erase(name);
}

Status LocalCluster::WaitForMaster(int64_t timeout_us) {
  engine::Clock* clock = options_.store.clock;
  const int64_t deadline_ns = clock->MonotonicNanos() + timeout_us * 1000;
  for (;;) {
    Status running = network_.Master().driver->WaitUntilRunning(kMasterPollMicros);
    if (running.ok()) return OkStatus();
    if (clock->MonotonicNanos() >= deadline_ns) {
      return DeadlineExceeded(fmt::format("no master is running after {:.1f} s; try again",
                                          static_cast<double>(timeout_us) / 1e6));
    }
    if (running.code() == StatusCode::kUnavailable) clock->SleepMicros(kMasterPollMicros);
  }
}

Status LocalCluster::WaitForTablets() {
  for (;;) {
    bool all = true;
    RETURN_IF_ERROR(network_.Master().driver->Look([&](master::MasterState& state) {
      for (const auto& [key, tablet] : state.tablets.all()) {
        const master::Table* table = state.FindTable(key.table_id);
        bool is_live = table != nullptr && table->life == master::TableLife::kLive;
        all &= tablet.loaded || tablet.failures > 0 || !is_live;
      }
    }));
    if (all) return OkStatus();
    options_.store.clock->SleepMicros(kMasterPollMicros);
  }
}

StatusOr<std::set<ServerId>> LocalCluster::Lives() {
  std::set<ServerId> lives;
  RETURN_IF_ERROR(network_.Master().driver->Look([&](master::MasterState& state) {
    for (const auto& [id, server] : state.servers) lives.insert(id);
  }));
  return lives;
}

Status LocalCluster::StartServer(const std::string& name, engine::FileSystem* fs) {
  if (servers_.contains(name))
    return AlreadyExists(fmt::format("server {}: it runs already", name));
  engine::StoreOptions store = options_.store;
  if (fs != nullptr) store.fs = fs;
  Process<ServerRole> process;
  process.line = std::make_unique<LocalTransport>(&network_, options_.loses_answers);
  LocalTransport* line = process.line.get();
  // An ended life makes no more calls, and TabletServer answers none; the process and its other
  // roles continue.
  auto end = [line](const char*) { line->Cut(); };
  ASSIGN_OR_RETURN(process.role, ServerRole::Start(PlaceOn(line), name, store, end));
  network_.Add(process.role->server());
  servers_[name] = std::move(process);
  return OkStatus();
}

void LocalCluster::Leave(Process<ServerRole>* process) {
  process->line->Cut();
  network_.Remove(process->role->server()->id(), options_.store.clock);
  process->role.reset();
}

Status LocalCluster::StopServer(const std::string& name) {
  Process<ServerRole>& process = servers_.at(name);
  Status drained = process.role->server()->Drain();
  Leave(&process);
  servers_.erase(name);
  return Annotate(drained, "stop server " + name);
}

void LocalCluster::CrashServer(const std::string& name) {
  Leave(&servers_.at(name));
  servers_.erase(name);
}

Status LocalCluster::CloseAll() {
  Status status;
  while (!servers_.empty()) {
    // A server that leaves writes to METADATA, but does not take over the METADATA tablets of a
    // server that left before. So each server waits until METADATA can be read again.
    (void)metadata()->Scan(kMetadataTableId, UINT64_MAX - 1,
                           [](const TabletRecord&) { return true; });
    std::string name = servers_.begin()->first;  // a copy: StopServer erases the entry
    Status stopped = StopServer(name);
    if (status.ok()) status = stopped;
  }
  while (!masters_.empty()) StopMaster(masters_.begin()->first);
  return status;
}

}  // namespace sippar::cluster
