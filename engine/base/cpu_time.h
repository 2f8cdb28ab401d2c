// The CPU time that this process has used so far, user and system, in microseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sippar::engine {

int64_t ProcessCpuMicros();

}  // namespace sippar::engine
