// Runs the processes of a simulated cluster, and one history.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/workloads/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/lock/member_record.h"
#include "tests/sim/workloads/run_history.h"

namespace sippar::sim {
namespace {

constexpr int64_t kStartAgainMicros = 20'000;
constexpr int64_t kClientCallMicros = 2'000'000;
constexpr char kClusterId[] = "sim";

}  // namespace

Cluster::Cluster(World* world, const ClusterKnobs& knobs)
    : world_(world), knobs_(knobs), histories_(knobs.schema) {
  for (uint64_t i = 0; i < knobs.servers; ++i) {
    auto id = static_cast<MachineId>(kFirstServer + i);
    addresses_.servers[NameOf(id)] = id;
    machines_[id];
  }
  for (uint64_t i = 0; i < kMasters; ++i) {
    addresses_.masters.push_back(static_cast<MachineId>(kFirstMaster + i));
    machines_[addresses_.masters.back()];
  }
  machines_[kLocks];
  world_->disk()->OnFence(
      [this](MachineId id, const std::string& identity) { EndFenced(id, identity); });
}

std::string Cluster::NameOf(MachineId id) const { return fmt::format("s{}", id); }

Cluster::Process::Process(Cluster* its_cluster, MachineId machine)
    : cluster(its_cluster),
      clock(its_cluster->world_->scheduler()->ClockOf(machine)),
      locks(its_cluster->world_, kLocks),
      transport(its_cluster->world_, &its_cluster->addresses_, its_cluster->knobs_.call_us) {}

void Cluster::Process::Join() {
  for (;; clock->SleepMicros(kStartAgainMicros)) {
    cluster::SessionOptions session_options;
    session_options.name = "client";
    session_options.clock = clock;
    auto opened = locks.OpenSession(session_options);
    if (!opened.ok()) continue;
    session = *std::move(opened);
    cluster::ClusterDataOptions options;
    options.transport = &transport;
    options.session = session.get();
    options.clock = clock;
    options.timeout_us = kClientCallMicros;
    auto client = cluster::ClusterData::Open(options);
    if (!client.ok()) continue;
    data = *std::move(client);
    metadata = cluster::NewMetadataTable(data.get(), session.get());
    return;
  }
}

void Cluster::Start(MachineId id) {
  machines_[id].up = true;
  Scheduler* scheduler = world_->scheduler();
  if (id == kLocks) {
    scheduler->StartOn(id, "locks", [this] { LockMain(); });
  } else if (IsServer(id)) {
    scheduler->StartOn(id, "server", [this, id] { ServerMain(id); });
  } else {
    scheduler->StartOn(id, "master", [this, id] { MasterMain(id); });
  }
}

void Cluster::LockMain() {
  auto* process = new LockProcess;
  for (;; world_->SleepMicros(kStartAgainMicros)) {
    auto opened = cluster::EmbeddedLockService::Open(world_->disk()->Of(kLocks), "/locks",
                                                     world_->scheduler()->ClockOf(kLocks));
    world_->scheduler()->Note(fmt::format("lock service: {}", MessageOf(opened.status())));
    if (!opened.ok()) continue;
    process->service = *std::move(opened);
    return world_->network()->Serve(kLocks, process);
  }
}

void Cluster::MasterMain(MachineId id) {
  auto* process = new Process(this, id);
  process->Join();
  cluster::master::MasterDriverOptions options;
  options.name = NameOf(id);
  options.locks = &process->locks;
  options.session_us = knobs_.lease_us;
  options.places = {
      &process->transport, process->metadata.get(), world_->disk()->Of(id), process->clock, "/db",
      knobs_.lease_us};
  if (knobs_.fences) options.places.cluster = kClusterId;
  options.policy = knobs_.policy;
  options.seed = world_->random()->Next();
  options.tick_us = 10'000;
  const cluster::master::ActionPlaces places = options.places;
  auto* endpoint = new MasterEndpoint;
  endpoint->driver = std::make_unique<cluster::master::MasterDriver>(std::move(options));
  endpoint->admin = std::make_unique<cluster::master::ClusterAdmin>(endpoint->driver.get(), places);
  world_->network()->Serve(id, endpoint);
}

cluster::TabletServerOptions Cluster::OptionsOf(MachineId id, Process* process) {
  cluster::TabletServerOptions options;
  options.name = NameOf(id);
  options.directory = "/db";
  options.store = knobs_.store;
  options.store.fs = world_->disk()->Of(id);
  options.reached_at = NameOf(id);
  if (knobs_.fences) {
    cluster::MemberRecord record;
    record.host = NameOf(id);
    record.port = 1;
    record.cluster = kClusterId;
    record.identity = options.store.fs->Identity();
    options.reached_at = record.Encode();
  }
  options.store.clock = process->clock;
  options.locks = &process->locks;
  options.lease_us = knobs_.lease_us;
  options.metadata = process->metadata.get();
  options.transport = &process->transport;
  options.end_process = [this, id](const char* why) {
    world_->scheduler()->Note(fmt::format("ends itself: {}", why));
    Stop(id, /*power_lost=*/false);
  };
  return options;
}

// Retries until the server starts, as a supervisor would.
void Cluster::ServerMain(MachineId id) {
  auto* process = new Process(this, id);
  process->Join();
  auto* endpoint = new ServerEndpoint;
  for (;; process->clock->SleepMicros(kStartAgainMicros)) {
    auto started = cluster::TabletServer::Start(OptionsOf(id, process));
    if (started.ok()) {
      endpoint->server = *std::move(started);
      break;
    }
    world_->scheduler()->Note(fmt::format("start failed: {}", MessageOf(started.status())));
    if (started.status().code() == StatusCode::kDataLoss) {
      world_->scheduler()->Fail(std::string(MessageOf(started.status())));
    }
  }
  endpoint->on_load = [this, id](const cluster::TabletRecord& record) { AfterLoad(id, record); };
  machines_[id].server = endpoint;
  world_->network()->Serve(id, endpoint);
  world_->scheduler()->Note("serves as " + endpoint->server->id().ToString());
}

void Cluster::Stop(MachineId id, bool power_lost) {
  Machine& machine = machines_[id];
  machine = Machine();
  machine.wakes_us =
      world_->NowMicros() +
      static_cast<int64_t>(world_->random()->Uniform(world_->OneIn(4) ? 3'000'000 : 300'000));
  ++kills_;
  world_->scheduler()->Note(
      fmt::format("machine {} is killed{}", id, power_lost ? ", power lost" : ""));
  world_->Kill(id, power_lost);
}

// Ends the process of the machine unless another one runs there by now. Between the look and the
// kill no other thread runs.
void Cluster::EndFenced(MachineId id, const std::string& identity) {
  world_->scheduler()->SetPreemption(false);
  const bool is_same = world_->disk()->Of(id)->Identity() == identity;
  world_->scheduler()->SetPreemption(true);
  if (!is_same) return;
  world_->scheduler()->Note(fmt::format("fences {}", identity));
  Stop(id, /*power_lost=*/false);
}

// Ends the server as SIGTERM does.
void Cluster::Drain(MachineId id) {
  ServerEndpoint* endpoint = machines_[id].server;
  if (endpoint == nullptr) return;
  machines_[id].server = nullptr;
  world_->scheduler()->StartOn(id, "drain", [this, id, endpoint] {
    world_->scheduler()->Note("drains");
    Status drained = endpoint->server->Drain();
    world_->scheduler()->Note(fmt::format("drained: {}", MessageOf(drained)));
    Stop(id, /*power_lost=*/false);
  });
}

void Cluster::AtCrashPoint(const char* name) {
  MachineId id = world_->scheduler()->machine();
  if (!trouble_ || !machines_.contains(id)) return;
  if (knobs_.reshapes && std::string_view(name) == "sweep.scanning") ReshapeBehind();
  if (!world_->OneIn(knobs_.crash_point_one_in)) return;
  world_->scheduler()->Note(fmt::format("crash point {}", name));
  if (knobs_.freezes && world_->random()->OneIn(2)) return Freeze(id);
  Stop(id, world_->random()->OneIn(2));
}

void Cluster::CreateTable() {
  for (uint64_t i = 0;; ++i) {
    auto created = OnMaster<bool>(
        addresses_.masters[i % kMasters], [this](cluster::AdminApi* admin) -> StatusOr<bool> {
          RETURN_IF_ERROR(admin->Do(cluster::calls::CreateTable{knobs_.schema, knobs_.split_keys}));
          return true;
        });
    if (created.ok() || created.status().code() == StatusCode::kAlreadyExists) return;
    world_->SleepMicros(kStartAgainMicros);
  }
}

void Cluster::Run() {
  for (const char* path : {"/db", "/db/wal", "/db/sst"}) {
    (void)world_->disk()->Of(0)->CreateDir(path);
  }
  (void)world_->disk()->Of(0)->SyncDir("/");
  (void)world_->disk()->Of(0)->SyncDir("/db");
  for (auto& [id, machine] : machines_) Start(id);
  supervisor_ = std::make_unique<Process>(this, 0);
  supervisor_->Join();
  CreateTable();
  CheckServedAgain("the start");
  if (knobs_.deadly_row) DrawDeadlyRow();
  trouble_ = true;
  for (const auto& [id, machine] : machines_) world_->disk()->SetFaults(id, knobs_.disk);
  world_->disk()->SetFaults(kLocks, {});
  world_->network()->SetFaults(knobs_.network);
  clients_left_ = kClients;
  for (uint64_t i = 0; i < kClients; ++i) {
    auto id = static_cast<MachineId>(kFirstClient + i);
    world_->scheduler()->StartOn(id, "client", [this, id] { ClientMain(id); });
  }
  if (knobs_.alters) {
    ++clients_left_;
    auto id = static_cast<MachineId>(kFirstClient + kClients);
    world_->scheduler()->StartOn(id, "alterer", [this, id] { AlterMain(id); });
  }
  Trouble();
  StopTrouble();
  if (deadly_row_) CheckOthersServed();
  CheckServedAgain("the last fault");
  // Checks that the data on disk equals the data in memory.
  for (auto& [id, machine] : machines_) {
    if (machine.up) Stop(id, /*power_lost=*/true);
  }
  WakeMachines(/*all=*/true);
  CheckServedAgain("a power cut");
}

std::string DrawnForCluster(uint64_t seed) { return Drawn<ClusterKnobs>(seed).Text(); }

HistoryResult RunCluster(uint64_t seed, bool trace) {
  return RunHistory<Cluster, ClusterKnobs>(seed, trace, 400'000'000);
}

}  // namespace sippar::sim
