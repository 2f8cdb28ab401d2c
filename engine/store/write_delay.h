// How long a writer waits before its write so that flushes and compactions keep up: a pure, smooth
// function of what they are behind. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sippar::engine {

struct WriteDebt {
  int64_t memtable_bytes = 0;
  int64_t memtable_budget = 0;  // delays begin here; the hard stop is at twice of it
  uint64_t runs = 0;            // most runs of a group
  uint64_t runs_max = 0;        // what the compaction policy allows
};

inline constexpr int64_t kWriteDelayMaxMicros = 100'000;  // of one call, whatever it writes

// 0 up to the budget and up to twice the allowed runs. From there the delay of a row grows with the
// square of the debt (from what a sleep can measure on), to 1 ms at twice the budget or at six
// times the allowed runs.
int64_t WriteDelayMicros(const WriteDebt& debt, size_t rows);

}  // namespace sippar::engine
