// World: the machines of one history with their clocks, a shared disk and a network; one seed
// determines all random choices. A workload adds the programs that run on the machines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/sim/scheduler.h"
#include "tests/sim/sim_disk.h"
#include "tests/sim/sim_network.h"

namespace sippar::sim {

class World {
 public:
  explicit World(const Scheduler::Options& options)
      : scheduler_(options), disk_(&scheduler_), network_(&scheduler_) {}

  Scheduler* scheduler() { return &scheduler_; }
  SimDisk* disk() { return &disk_; }
  SimNetwork* network() { return &network_; }
  engine::Random* random() { return scheduler_.random(); }
  bool OneIn(uint64_t n) { return n != 0 && random()->OneIn(n); }
  int64_t NowMicros() const { return scheduler_.now_ns() / 1000; }
  void SleepMicros(int64_t micros) { scheduler_.Sleep(micros * 1000); }

  // Stops the machine at once. Its disk keeps what was durable or, without a power loss, everything
  // that was written. The machine can be used again at once. Does not return if the calling thread
  // is on that machine.
  void Kill(MachineId machine, bool power_lost) {
    scheduler_.SetPreemption(false);
    network_.Crash(machine);
    disk_.Crash(machine, power_lost);
    scheduler_.SetPreemption(true);
    scheduler_.DropMachine(machine);
  }

 private:
  Scheduler scheduler_;
  SimDisk disk_;
  SimNetwork network_;
};

}  // namespace sippar::sim
