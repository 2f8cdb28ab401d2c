// The faults and other events in a simulated cluster.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "tests/sim/workloads/cluster.h"
#include "tests/sim/workloads/drawn_faults.h"

namespace sippar::sim {

void Cluster::Trouble() {
  int64_t limit_us = world_->NowMicros() + 20'000'000;
  while (clients_left_ > 0 && world_->NowMicros() < limit_us) {
    world_->SleepMicros(1'000 + static_cast<int64_t>(world_->random()->Uniform(150'000)));
    WakeMachines(/*all=*/false);
    MakeTrouble();
  }
}

// Starts dead machines and thaws frozen ones when their time has come.
void Cluster::WakeMachines(bool all) {
  for (auto& [id, machine] : machines_) {
    if (!all && machine.wakes_us > world_->NowMicros()) continue;
    if (machine.frozen) world_->scheduler()->Thaw(id);
    machine.frozen = false;
    if (!machine.up) Start(id);
  }
}

MachineId Cluster::DrawServer() {
  return static_cast<MachineId>(kFirstServer + world_->random()->Uniform(knobs_.servers));
}

void Cluster::MakeTrouble() {
  engine::Random* random = world_->random();
  MachineId server = DrawServer();
  MachineId master = addresses_.masters[random->Uniform(kMasters)];
  switch (random->Uniform(14)) {
    case 0:
      if (knobs_.server_kills && machines_[server].up) Stop(server, !random->OneIn(4));
      break;
    case 1:
      if (knobs_.master_kills && machines_[master].up) Stop(master, random->OneIn(2));
      break;
    case 2:
      if (knobs_.lock_kills && machines_[kLocks].up) Stop(kLocks, random->OneIn(2));
      break;
    case 3:
      if (knobs_.drains) Drain(server);
      break;
    case 4:
    case 5:
      if (knobs_.freezes) Freeze(random->OneIn(4) ? master : server);
      break;
    case 6:
      if (knobs_.clock_jumps) DisturbClock(world_, server);
      break;
    case 7:
      if (knobs_.partitions) Partition();
      break;
    case 8:
      if (knobs_.disk_stops) StopDisk();
      break;
    case 9:
    case 10:
    case 11:
      if (knobs_.late_writes) WriteLate(server);
      break;
    default:
      if (knobs_.reshapes) {
        std::string row = knobs_.rows[random->Uniform(knobs_.rows.size())];
        constexpr Reshaping kKinds[] = {
            Reshaping::kCompact,       Reshaping::kSplit, Reshaping::kSplit, Reshaping::kSplit,
            Reshaping::kSplitMetadata, Reshaping::kMerge, Reshaping::kFlush, Reshaping::kFlush};
        Reshape(master, kKinds[random->Uniform(std::size(kKinds))], row);
      }
  }
}

void Cluster::Freeze(MachineId id) {
  uint64_t longest_us = static_cast<uint64_t>(knobs_.lease_us) * (world_->OneIn(2) ? 8 : 1);
  FreezeUntil(id,
              world_->NowMicros() + static_cast<int64_t>(world_->random()->Uniform(longest_us)));
}

// If a thread of that machine calls this, it returns after the thaw.
void Cluster::FreezeUntil(MachineId id, int64_t wakes_us) {
  Machine& machine = machines_[id];
  if (!machine.up || machine.frozen) return;
  machine.frozen = true;
  machine.wakes_us = wakes_us;
  world_->scheduler()->Note(fmt::format("machine {} is frozen", id));
  world_->scheduler()->Freeze(id);
}

void Cluster::Partition() {
  engine::Random* random = world_->random();
  SimNetwork* network = world_->network();
  MachineId server = DrawServer();
  world_->scheduler()->Note("the network changes");
  switch (random->Uniform(8)) {
    case 0:
      return network->Isolate(server);
    case 1:
      return network->Halve({server, kFirstMaster, kFirstClient, kFirstClient + 1});
    case 2:
      return network->Cut(server, random->OneIn(2) ? kLocks : kFirstMaster);
    case 3:
      return network->CutOneWay(server, random->OneIn(2) ? kFirstMaster : DrawServer());
    case 4:
      return network->Flap(server, 5'000ll << random->Uniform(6));
    default:
      network->Heal();
  }
}

void Cluster::StopDisk() {
  DiskFaults faults = DrawDiskStop(world_->random(), knobs_.disk);
  MachineId server = DrawServer();
  world_->scheduler()->Note(fmt::format("the disk of machine {} stops", server));
  world_->disk()->SetFaults(server, faults);
  world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(1'000'000)));
  world_->disk()->SetFaults(server, knobs_.disk);
}

void Cluster::StopTrouble() {
  trouble_ = false;
  world_->scheduler()->Note("trouble ends");
  for (const auto& [id, machine] : machines_) world_->disk()->SetFaults(id, {});
  world_->network()->SetFaults({});
  world_->network()->Heal();
  WakeMachines(/*all=*/true);
}

}  // namespace sippar::sim
