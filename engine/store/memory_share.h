// Divides one memory limit according to need: memtables and pinned blocks take what they need, each
// within its own bound, and the block cache gets the rest. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace sippar::engine {

// The block cache's part in bytes, at least `floor`. It changes in steps of a 64th of the limit, so
// that a growing memtable seldom resizes the cache.
inline uint64_t CacheShare(uint64_t limit, uint64_t floor, uint64_t used_elsewhere) {
  uint64_t step = std::max<uint64_t>(limit / 64, 1);
  uint64_t left = limit - std::min(limit, used_elsewhere);
  return std::max(floor, left / step * step);
}

}  // namespace sippar::engine
