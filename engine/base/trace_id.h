// The id that the parts of one call have in common while it is served by several processes, as in
// W3C Trace Context. Plain data. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::engine {

struct TraceId {
  uint64_t high = 0;
  uint64_t low = 0;

  bool is_none() const { return high == 0 && low == 0; }
  // True for one of `one_in` ids. Every process decides alike, so the parts of a call are kept
  // everywhere or nowhere.
  bool IsSampled(uint64_t one_in) const {
    return one_in > 0 && (low * 0x9e3779b97f4a7c15u >> 32) % one_in == 0;
  }
  std::string ToHex() const;  // 32 lower-case digits
  // The id that 32 lower-case hexadecimal digits tell; none if `text` is anything else.
  static TraceId FromHex(std::string_view text);
  // A random id, not for secrets.
  static TraceId New();
  bool operator==(const TraceId&) const = default;
};

}  // namespace sippar::engine
