// The id of one call, the same in all processes that serve a part of the call, as in W3C Trace
// Context. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::engine {

struct TraceId {
  uint64_t high = 0;
  uint64_t low = 0;

  bool is_none() const { return high == 0 && low == 0; }
  // True for one id in `one_in`. Every process decides alike, so either all parts of a call are
  // kept or none.
  bool IsSampled(uint64_t one_in) const {
    return one_in > 0 && (low * 0x9e3779b97f4a7c15u >> 32) % one_in == 0;
  }
  std::string ToHex() const;  // 32 lower-case digits
  // Parses 32 lower-case hexadecimal digits; returns the id 0 (is_none) for any other text.
  static TraceId FromHex(std::string_view text);
  // A random id, not for secrets.
  static TraceId New();
  bool operator==(const TraceId&) const = default;
};

}  // namespace sippar::engine
