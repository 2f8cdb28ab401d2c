// HyperLogLog. SPDX-License-Identifier: Apache-2.0
#include "engine/program/hyper_log_log.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/checksum.h"

namespace sippar::engine {

void HyperLogLog::Add(std::string_view bytes) {
  if (registers_.empty()) registers_.assign(kRegisters, 0);
  uint64_t hash = Hash(bytes);
  size_t index = hash >> (64 - kIndexBits);
  // The guard bit bounds the rank when all the other bits are zero.
  uint64_t rest = hash << kIndexBits | uint64_t{1} << (kIndexBits - 1);
  char rank = static_cast<char>(std::countl_zero(rest) + 1);
  registers_[index] = std::max(registers_[index], rank);
}

uint64_t HyperLogLog::Estimate() const {
  if (registers_.empty()) return 0;
  double sum = 0;
  double zeros = 0;
  for (char rank : registers_) {
    sum += std::ldexp(1.0, -rank);
    if (rank == 0) zeros += 1;
  }
  constexpr double kCount = static_cast<double>(kRegisters);
  constexpr double kAlpha = 0.7213 / (1 + 1.079 / kCount);
  double estimate = kAlpha * kCount * kCount / sum;
  if (estimate <= 2.5 * kCount && zeros > 0) estimate = kCount * std::log(kCount / zeros);
  return static_cast<uint64_t>(std::llround(estimate));
}

bool HyperLogLog::Merge(std::string_view registers) {
  if (registers.empty()) return true;
  if (registers.size() != kRegisters) return false;
  if (registers_.empty()) registers_.assign(kRegisters, 0);
  for (size_t i = 0; i < kRegisters; ++i) {
    if (registers[i] < 0 || registers[i] > 64 - kIndexBits + 1) return false;
    registers_[i] = std::max(registers_[i], registers[i]);
  }
  return true;
}

}  // namespace sippar::engine
