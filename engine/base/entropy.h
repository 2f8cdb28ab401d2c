// Random bits for ids that no other process may have. For everything else use random.h, whose seed
// reproduces a test. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sippar::engine {

// 64 bits from the operating system (getrandom); in a simulation, from the seed of the simulation.
// May wait early in the boot of a machine, until the kernel has gathered entropy. About a
// microsecond.
uint64_t Entropy();

}  // namespace sippar::engine
