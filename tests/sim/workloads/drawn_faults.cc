// Draws the faults that all workloads share.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/workloads/drawn_faults.h"

#include <fmt/format.h>

namespace sippar::sim {

DiskFaults DrawDiskStop(engine::Random* random, DiskFaults usual) {
  switch (random->Uniform(3)) {
    case 0:
      usual.is_full = true;
      break;
    case 1:
      usual.is_read_only = true;
      break;
    default:
      usual.hangs = true;
  }
  return usual;
}

void DisturbClock(World* world, MachineId machine) {
  auto* clock = world->scheduler()->ClockOf(machine);
  clock->ShiftWall(static_cast<int64_t>(world->random()->Uniform(7'200'000'000)) - 3'600'000'000);
  clock->SetRate(static_cast<int64_t>(950 + world->random()->Uniform(101)));
}

std::string TextOf(const DiskFaults& disk) {
  return fmt::format("disk: fails 1 in {}, flips 1 in {}, slow syncs 1 in {}", disk.fail_one_in,
                     disk.flip_one_in, disk.slow_sync_one_in);
}

std::string TextOf(const NetworkFaults& network) {
  return fmt::format(
      "network: loses requests 1 in {}, answers 1 in {}, repeats 1 in {}, delays 1 in {}",
      network.lose_request_one_in, network.lose_answer_one_in, network.repeat_one_in,
      network.delay_one_in);
}

}  // namespace sippar::sim
