// SPDX-License-Identifier: Apache-2.0
#include "engine/store/write_delay.h"

#include <algorithm>

namespace sippar::engine {
namespace {
constexpr double kRowDelayMaxMicros = 1000;
constexpr double kShortestMicros = 50;  // no sleep is shorter than this

double Share(double value, double from, double to) {
  return to > from ? std::clamp((value - from) / (to - from), 0.0, 1.0) : 0.0;
}
}  // namespace

int64_t WriteDelayMicros(const WriteDebt& debt, size_t rows) {
  auto budget = static_cast<double>(debt.memtable_budget);
  auto runs_max = static_cast<double>(debt.runs_max);
  double pressure = std::max(Share(static_cast<double>(debt.memtable_bytes), budget, 2 * budget),
                             Share(static_cast<double>(debt.runs), 2 * runs_max, 6 * runs_max));
  double delay = pressure * pressure * kRowDelayMaxMicros * static_cast<double>(rows);
  if (delay < kShortestMicros) return 0;
  return std::min(static_cast<int64_t>(delay), kWriteDelayMaxMicros);
}

}  // namespace sippar::engine
