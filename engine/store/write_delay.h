// How long a writer waits before its write so that flushes and compactions keep up: a pure, smooth
// function of how far they are behind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sippar::engine {

struct WriteDebt {
  int64_t memtable_bytes = 0;
  int64_t memtable_budget = 0;  // delays begin here; writers stop at twice this
  uint64_t runs = 0;            // largest number of runs in a group
  uint64_t runs_max = 0;        // most runs that the compaction policy allows
};

// Longest delay of one call, whatever it writes.
inline constexpr int64_t kWriteDelayMaxMicros = 100'000;

// Microseconds to wait before a write of `rows` rows. 0 up to the budget and up to twice the
// allowed runs. From there the delay of a row grows with the square of the debt, to 1 ms at twice
// the budget or at six times the allowed runs. Delays too short for a sleep count as 0.
int64_t WriteDelayMicros(const WriteDebt& debt, size_t rows);

}  // namespace sippar::engine
