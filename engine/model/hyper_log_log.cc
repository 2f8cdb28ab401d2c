// SPDX-License-Identifier: Apache-2.0
#include "engine/model/hyper_log_log.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/checksum.h"

namespace sippar::engine {
namespace {

constexpr char kSparse = 1;
constexpr char kDense = 2;
constexpr size_t kSparseEntry = 3;  // 2 bytes of index, big-endian, and 1 of rank
constexpr int kRankMax = 64 - HyperLogLog::kIndexBits + 1;

}  // namespace

void HyperLogLog::Add(std::string_view bytes) {
  uint64_t hash = Hash(bytes);
  // Sets the bit below the remaining hash bits, which bounds the rank if these bits are all zero.
  uint64_t rest = hash << kIndexBits | uint64_t{1} << (kIndexBits - 1);
  (void)Raise(hash >> (64 - kIndexBits), static_cast<uint8_t>(std::countl_zero(rest) + 1));
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
  // Few distinct values leave many registers empty; there the number of empty ones is a better
  // estimate (linear counting; threshold from the paper).
  if (estimate <= 2.5 * kCount && zeros > 0) estimate = kCount * std::log(kCount / zeros);
  return static_cast<uint64_t>(std::llround(estimate));
}

std::string HyperLogLog::Encode() const {
  if (registers_.empty()) return "";
  auto zeros = static_cast<size_t>(std::count(registers_.begin(), registers_.end(), '\0'));
  if ((kRegisters - zeros) * kSparseEntry >= kRegisters) return kDense + registers_;
  std::string encoded(1, kSparse);
  for (size_t i = 0; i < kRegisters; ++i) {
    if (registers_[i] == 0) continue;
    encoded += {static_cast<char>(i >> 8), static_cast<char>(i & 0xff), registers_[i]};
  }
  return encoded;
}

bool HyperLogLog::Merge(std::string_view encoded) {
  if (encoded.empty()) return true;
  char form = encoded[0];
  encoded.remove_prefix(1);
  auto byte = [&encoded](size_t i) { return static_cast<uint8_t>(encoded[i]); };
  if (form == kDense) {
    if (encoded.size() != kRegisters) return false;
    for (size_t i = 0; i < kRegisters; ++i) {
      if (byte(i) != 0 && !Raise(i, byte(i))) return false;
    }
    return true;
  }
  if (form != kSparse || encoded.size() % kSparseEntry != 0) return false;
  for (size_t at = 0; at < encoded.size(); at += kSparseEntry) {
    if (!Raise(size_t{byte(at)} << 8 | byte(at + 1), byte(at + 2))) return false;
  }
  return true;
}

// False when the index or the rank is out of range: the encoded sketch is damaged.
bool HyperLogLog::Raise(size_t index, uint8_t rank) {
  if (index >= kRegisters || rank == 0 || rank > kRankMax) return false;
  if (registers_.empty()) registers_.assign(kRegisters, 0);
  registers_[index] = std::max(registers_[index], static_cast<char>(rank));
  return true;
}

}  // namespace sippar::engine
