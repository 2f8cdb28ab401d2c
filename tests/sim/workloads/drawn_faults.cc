// Drawn faults. SPDX-License-Identifier: Apache-2.0
#include "tests/sim/workloads/drawn_faults.h"

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

}  // namespace sippar::sim
