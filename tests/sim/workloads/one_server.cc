// Runs a single server: its options, its lives, and one history.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/workloads/one_server.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/node/embedded_node.h"
#include "tests/sim/workloads/drawn_faults.h"
#include "tests/sim/workloads/drawn_store.h"
#include "tests/sim/workloads/run_history.h"

namespace sippar::sim {

OneServerKnobs OneServerKnobs::Draw(engine::Random* random) {
  OneServerKnobs knobs;
  auto sometimes = [random](uint64_t least) {  // 0 in half of the histories
    return random->OneIn(2) ? 0 : least << random->Uniform(5);
  };
  knobs.schema = DrawRowSchema(random);
  knobs.split_keys = DrawSplitKeys(random);
  knobs.store = DrawStoreOptions(random);
  knobs.store.create_if_missing = true;
  knobs.clients = 2 + random->Uniform(4);
  knobs.operations_each = 20 + random->Uniform(60);
  knobs.rows = DrawRows(random);
  knobs.kills = random->OneIn(2);
  knobs.closes = random->OneIn(4);
  knobs.clock_jumps = random->OneIn(2);
  knobs.partitions = random->OneIn(3);
  knobs.reshapes = random->OneIn(2);
  knobs.disk_stops = random->OneIn(4);
  knobs.crash_point_one_in = sometimes(32);
  knobs.disk.fail_one_in = random->OneIn(2) ? 0 : sometimes(100);
  knobs.disk.flip_one_in = random->OneIn(2) ? 0 : sometimes(16);
  knobs.disk.slow_sync_one_in = random->OneIn(2) ? 0 : sometimes(30);
  knobs.network.lose_request_one_in = random->OneIn(2) ? 0 : sometimes(20);
  knobs.network.lose_answer_one_in = random->OneIn(2) ? 0 : sometimes(20);
  knobs.network.delay_one_in = random->OneIn(2) ? 0 : sometimes(20);
  return knobs;
}

std::string OneServerKnobs::Text() const {
  std::string trouble;
  auto add = [&trouble](bool is_on, const char* name) { trouble += is_on ? name : ""; };
  add(kills, " kills");
  add(closes, " closes");
  add(clock_jumps, " clock-jumps");
  add(partitions, " partitions");
  add(reshapes, " reshapes");
  add(disk_stops, " disk-stops");
  return fmt::format(
      "{} clients, {} operations each on {} rows, {} split keys\n  {}\n  trouble:{}; crash points "
      "1 "
      "in {}; {}; {}",
      clients, operations_each, rows.size(), split_keys.size(), TextOf(store), trouble,
      crash_point_one_in, TextOf(disk), TextOf(network));
}

void OneServer::Run() {
  world_->disk()->SetFaults(kServer, knobs_.disk);
  world_->network()->SetFaults(knobs_.network);
  StartServer();
  Scheduler* scheduler = world_->scheduler();
  for (uint64_t i = 0; i < knobs_.clients; ++i) {
    ++clients_left_;
    scheduler->StartOn(static_cast<MachineId>(kFirstClient + i), fmt::format("client{}", i),
                       [this, i] { ClientMain(i); });
  }
  Trouble();
  StopTrouble();
  CheckServedAgain();
  // Checks that the data on disk equals the data in memory.
  CloseServer();
  if (server_ != Server::kDown) scheduler->Fail("the store does not close");
  StartServer();
  if (!WaitForServer(Server::kUp, kServedAgainMicros)) {
    scheduler->Fail("the store does not open again");
  }
  if (!Client("last reader").ReadTable(kServedAgainMicros)) scheduler->Fail("the last read failed");
}

void OneServer::StartServer() {
  server_ = Server::kStarting;
  process_ = new ServerProcess;  // ends with its machine, without a destructor
  world_->scheduler()->StartOn(kServer, "server", [this] { ServerMain(process_); });
}

// Retries until the store opens, as a supervisor would. A start may fail while the disk has faults;
// data that is found damaged is a violation.
void OneServer::ServerMain(ServerProcess* process) {
  engine::StoreOptions options = knobs_.store;
  options.fs = world_->disk()->Of(kServer);
  options.clock = world_->scheduler()->ClockOf(kServer);
  for (;;) {
    auto opened = cluster::OpenEmbedded("/db", options);
    Status status = opened.status();
    if (opened.ok()) {
      process->client = std::move(*opened);
      cluster::AdminApi* admin = process->client->admin();
      if (admin->Do(cluster::calls::GetTable{"t"}).ok()) break;
      status = admin->Do(cluster::calls::CreateTable{knobs_.schema, knobs_.split_keys});
      if (status.ok()) break;
      process->client.reset();
    }
    world_->scheduler()->Note(fmt::format("start failed: {}", MessageOf(status)));
    if (status.code() == StatusCode::kDataLoss && knobs_.disk.flip_one_in == 0) {
      world_->scheduler()->Fail(fmt::format("data lost at a start: {}", MessageOf(status)));
    }
    world_->SleepMicros(10'000);
  }
  world_->network()->Serve(kServer, process);
  server_ = Server::kUp;
  world_->scheduler()->Note("serves");
}

void OneServer::CloseServer() {
  server_ = Server::kClosing;
  world_->scheduler()->Note("closes");
  world_->network()->Serve(kServer, {});
  world_->scheduler()->StartOn(kServer, "closer", [this, process = process_] {
    while (process->calls_running > 0) world_->SleepMicros(500);
    (void)process->client->Close();
    process->client.reset();
    server_ = Server::kDown;
  });
  (void)WaitForServer(Server::kDown, kServedAgainMicros);
}

void OneServer::KillServer(bool power_lost) {
  server_ = Server::kDown;
  ++kills_;
  world_->scheduler()->Note(power_lost ? "killed, power lost" : "killed");
  world_->Kill(kServer, power_lost);
}

void OneServer::AtCrashPoint(const char* name) {
  if (!trouble_ || world_->scheduler()->machine() != kServer) return;
  if (!world_->OneIn(knobs_.crash_point_one_in)) return;
  world_->scheduler()->Note(fmt::format("crash point {}", name));
  KillServer(world_->random()->OneIn(2));
}

bool OneServer::WaitForServer(Server state, int64_t timeout_us) {
  int64_t limit_us = world_->NowMicros() + timeout_us;
  while (server_ != state && world_->NowMicros() < limit_us) world_->SleepMicros(2'000);
  return server_ == state;
}

std::string DrawnForOneServer(uint64_t seed) { return Drawn<OneServerKnobs>(seed).Text(); }

HistoryResult RunOneServer(uint64_t seed, bool trace) {
  return RunHistory<OneServer, OneServerKnobs>(seed, trace, 200'000'000);
}

}  // namespace sippar::sim
