// A small seeded generator (splitmix64), so that a seed reproduces a test. No other code makes
// random numbers but ids (entropy.h). Not for secrets. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sippar::engine {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // A number in [0, limit), `limit` > 0; the bias of the remainder is negligible for small limits.
  uint64_t Uniform(uint64_t limit) { return Next() % limit; }
  bool OneIn(uint64_t n) { return Uniform(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace sippar::engine
