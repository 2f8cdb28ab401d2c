// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/server_time.h"

#include <algorithm>

#include "engine/base/seeded_bug.h"

namespace sippar::engine {

int64_t ServerTime::Next(const TableSchema& schema) {
  const bool is_millis = schema.options.contains(kGranularityOption);
  int64_t now_us = clock_->NowMicros();
  int64_t last = last_us_.load();
  int64_t next = 0;
  do {
    next = std::max(now_us, is_millis ? last : last + 1);
    if (SEEDED_BUG("timestamp-not-monotonic")) next = now_us;
  } while (!last_us_.compare_exchange_weak(last, next));
  return is_millis ? next / 1000 * 1000 : next;
}

}  // namespace sippar::engine
