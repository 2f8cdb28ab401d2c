// SPDX-License-Identifier: Apache-2.0
#include "engine/base/trace_id.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <random>

#include "engine/base/random.h"

namespace sippar::engine {
namespace {

constexpr size_t kHexSize = 32;
// An odd number, so that a seed repeats only after 2^64 ids.
constexpr uint64_t kSeedStep = 0xd1342543de82ef95u;

uint64_t FromDigits(std::string_view digits) {
  uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

uint64_t NewSeed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

}  // namespace

std::string TraceId::ToHex() const { return fmt::format("{:016x}{:016x}", high, low); }

TraceId TraceId::FromHex(std::string_view text) {
  const bool is_hex = text.size() == kHexSize &&
                      text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!is_hex) return {};
  return {FromDigits(text.substr(0, kHexSize / 2)), FromDigits(text.substr(kHexSize / 2))};
}

TraceId TraceId::New() {
  static std::atomic<uint64_t> seed{NewSeed()};
  Random random(seed.fetch_add(kSeedStep, std::memory_order_relaxed));
  return {random.Next() | 1, random.Next()};
}

}  // namespace sippar::engine
