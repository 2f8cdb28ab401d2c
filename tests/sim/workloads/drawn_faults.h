// Random faults of a machine, the same kinds in every workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/sim/sim_world.h"

namespace sippar::sim {

// Returns `usual` with a disk that is also full, read-only or hanging.
DiskFaults DrawDiskStop(engine::Random* random, DiskFaults usual);
// Shifts the machine's wall clock by up to an hour, and makes its clocks up to 5 % too fast or
// slow.
void DisturbClock(World* world, MachineId machine);
std::string TextOf(const DiskFaults& disk);
std::string TextOf(const NetworkFaults& network);

}  // namespace sippar::sim
