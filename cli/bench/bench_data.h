// The data that benchmarks write: keys of 16 digits, and values from a pool that is filled before
// the clock starts. Values compress about 2:1, like those of LevelDB's db_bench, or not at all
// (paper section 7: "uncompressible"). The pool is far larger than a dictionary or a compression
// window, so a compressor gains nothing when values repeat. Thread safe after construction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/base/random.h"

namespace sippar::cli {

class BenchKey {
 public:
  static constexpr size_t kSize = 16;
  explicit BenchKey(uint64_t number) {
    for (size_t i = kSize; i-- > 0; number /= 10) digits_[i] = static_cast<char>('0' + number % 10);
  }
  std::string_view text() const { return {digits_.data(), kSize}; }

 private:
  std::array<char, kSize> digits_;
};

class ValuePool {
 public:
  // Makes up to `values` different values, as many as fit into kPoolSize.
  ValuePool(uint64_t seed, size_t value_size, uint64_t values, bool compressible)
      : value_size_(value_size),
        count_(std::clamp<uint64_t>(kPoolSize / value_size, 1, std::max<uint64_t>(values, 1))) {
    engine::Random random(seed);
    size_t size = count_ * value_size;
    pool_.reserve(size + kFragment);
    while (pool_.size() < size) {
      std::array<char, kFragment> half;
      for (size_t at = 0; at < half.size(); at += 8) {
        uint64_t bits = random.Next();
        std::memcpy(half.data() + at, &bits, 8);
      }
      // Writing each fragment twice makes the values compress 2:1.
      if (compressible) {
        for (char& c : half) c = static_cast<char>(' ' + static_cast<uint8_t>(c) * 95 / 256);
        pool_.append(half.data(), half.size());
      }
      pool_.append(half.data(), half.size());
    }
  }
  std::string_view At(uint64_t number) const {
    return std::string_view(pool_).substr(number % count_ * value_size_, value_size_);
  }

 private:
  static constexpr size_t kPoolSize = 64 << 20;
  static constexpr size_t kFragment = 48;
  const size_t value_size_;
  const uint64_t count_;
  std::string pool_;
};

}  // namespace sippar::cli
