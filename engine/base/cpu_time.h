// What this process has used of the processors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sippar::engine {

int64_t ProcessCpuMicros();

}  // namespace sippar::engine
