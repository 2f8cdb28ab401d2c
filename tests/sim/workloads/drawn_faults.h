// What may happen to a machine, drawn, in every workload the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/sim/sim_world.h"

namespace sippar::sim {

// As `usual`, and full, read-only or hanging.
DiskFaults DrawDiskStop(engine::Random* random, DiskFaults usual);
// Its wall clock is up to an hour off, and its clocks run up to 5 % too fast or too slow.
void DisturbClock(World* world, MachineId machine);
std::string TextOf(const DiskFaults& disk);
std::string TextOf(const NetworkFaults& network);

}  // namespace sippar::sim
