// The wait after failed attempts to connect: none after the first failure, then from 10 ms on,
// doubled each time, with jitter, so that the clients of a server that comes back do not all arrive
// at once. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/random.h"

namespace sippar::net {

inline int64_t ReconnectWait(int failures, engine::Random* random) {
  if (failures <= 1) return 0;
  int64_t wait_us = int64_t{10'000} << std::min(failures - 2, 7);  // 10 ms to 1.28 s
  return wait_us / 2 + static_cast<int64_t>(random->Uniform(static_cast<uint64_t>(wait_us)));
}

}  // namespace sippar::net
