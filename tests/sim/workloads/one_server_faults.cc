// The faults of a single server and its clients, and the check that it serves again afterwards.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/sim/workloads/drawn_faults.h"
#include "tests/sim/workloads/one_server.h"

namespace sippar::sim {

void OneServer::Trouble() {
  int64_t limit_us = world_->NowMicros() + 20'000'000;
  while (clients_left_ > 0 && world_->NowMicros() < limit_us) {
    world_->SleepMicros(1'000 + static_cast<int64_t>(world_->random()->Uniform(60'000)));
    if (server_ == Server::kDown) StartServer();
    MakeTrouble();
  }
}

void OneServer::MakeTrouble() {
  engine::Random* random = world_->random();
  switch (random->Uniform(6)) {
    case 0:
      if (knobs_.kills) KillServer(/*power_lost=*/!random->OneIn(4));
      break;
    case 1:
      if (knobs_.closes && server_ == Server::kUp) CloseServer();
      break;
    case 2:
      if (knobs_.clock_jumps) DisturbClock(world_, kServer);
      break;
    case 3:
      if (!knobs_.partitions) break;
      if (random->OneIn(2)) {
        world_->network()->Heal();
      } else if (random->OneIn(2)) {
        world_->network()->CutOneWay(kServer, kFirstClient);
      } else {
        world_->network()->Flap(kFirstClient + 1, 5'000);
      }
      break;
    case 4:
      if (knobs_.disk_stops) StopDisk();
      break;
    default:
      if (knobs_.reshapes && server_ == Server::kUp) Reshape();
  }
}

void OneServer::StopDisk() {
  DiskFaults faults = DrawDiskStop(world_->random(), knobs_.disk);
  world_->disk()->SetFaults(kServer, faults);
  world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(300'000)));
  world_->disk()->SetFaults(kServer, knobs_.disk);
}

// Runs a random request of an administrator; it may fail.
void OneServer::Reshape() {
  std::string row = knobs_.rows[world_->random()->Uniform(knobs_.rows.size())];
  uint64_t kind = world_->random()->Uniform(8);
  auto asked = OnServer<bool>(
      [row, kind](cluster::Client* client) -> StatusOr<bool> {
        namespace calls = cluster::calls;
        cluster::AdminApi* admin = client->admin();
        Status status;
        if (kind == 0) status = admin->Do(calls::Compact{"t", ""});
        if (kind == 1 || kind == 2) status = admin->Do(calls::Split{"t", row});
        if (kind == 3) status = admin->Do(calls::Merge{"t", {row, ""}});
        if (kind >= 4) status = admin->Do(calls::Flush{"t"});
        RETURN_IF_ERROR(status);
        return true;
      },
      200'000);
  world_->scheduler()->Note(fmt::format("asked for {}: {}", kind, MessageOf(asked.status())));
}

void OneServer::StopTrouble() {
  trouble_ = false;
  world_->disk()->SetFaults(kServer, {});
  world_->network()->SetFaults({});
  world_->network()->Heal();
}

// Checks I6: the store serves again within the time limit. A store that rejects writes after a disk
// fault until it is opened again may be restarted once.
void OneServer::CheckServedAgain() {
  for (int life = 0; life < 2; ++life) {
    int64_t limit_us = world_->NowMicros() + kServedAgainMicros;
    while (world_->NowMicros() < limit_us) {
      if (server_ == Server::kDown) StartServer();
      if (WaitForServer(Server::kUp, 1'000'000) && clients_left_ == 0 && ServesAll("supervisor")) {
        return;
      }
      world_->SleepMicros(10'000);
    }
    if (life == 0 && knobs_.disk.fail_one_in == 0 && !knobs_.disk_stops) break;
    if (life == 0) KillServer(/*power_lost=*/false);
  }
  world_->scheduler()->Fail("not served again within the bound after the last fault");
}

bool OneServer::ServesAll(const std::string& by) {
  RowClient client = Client(by);
  return client.WriteAll() && client.ReadTable(kServedAgainMicros);
}

}  // namespace sippar::sim
