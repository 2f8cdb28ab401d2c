// Keys of 16 bytes and values that compress about 2:1, made as db_bench of LevelDB makes them: from
// a pool of fragments of 100 bytes, each half random text. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/random.h"

namespace sippar::bench {

inline constexpr size_t kKeySize = 16;
inline constexpr size_t kValueSize = 1000;

class Values {
 public:
  explicit Values(uint64_t seed) {
    engine::Random random(seed);
    while (pool_.size() < kPoolSize) {
      std::string half(kFragment / 2, ' ');
      for (char& c : half) c = static_cast<char>(' ' + random.Uniform(95));
      pool_ += half + half;
    }
  }
  std::string_view Next() {
    if (at_ + kValueSize > pool_.size()) at_ = 0;
    at_ += kValueSize;
    return std::string_view(pool_).substr(at_ - kValueSize, kValueSize);
  }

 private:
  static constexpr size_t kPoolSize = 1 << 20;
  static constexpr size_t kFragment = 100;
  std::string pool_;
  size_t at_ = 0;
};

// Rows get even numbers, so that odd ones are absent and lie between present ones.
class Key {
 public:
  explicit Key(uint64_t number) {
    for (size_t i = kKeySize; i-- > 0; number /= 10)
      digits_[i] = static_cast<char>('0' + number % 10);
  }
  std::string_view text() const { return {digits_.data(), digits_.size()}; }

 private:
  std::array<char, kKeySize> digits_;
};

}  // namespace sippar::bench
