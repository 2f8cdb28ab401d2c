// One injected fault, as plain data with a text form (after Pebble's errorfs):
//   fail write *.sst 3        the third write to a path that matches fails with EIO
//   fail any * 17             the 17th call of any kind fails; counted over all paths
//   full write *.log 2+       the second and every later one says: no space left
//   deny create * 1+          every one says: not permitted, the file system is read-only
//   torn write *.log 4        half of the bytes arrive, then it fails
//   torn rename * 2           it is done and reported as failed; so for sync, create, remove, mkdir
//   flip read *.sst 5         one byte of what is read, or written, is another one
//   delay:400 sync *.log 5    takes 400 ms longer, then succeeds
//   lie sync *.log 2+         says OK and does nothing
// Operations: create open write sync close read rename link remove mkdir syncdir list stat lock
// any.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::engine {

struct FaultRule {
  enum Effect : uint8_t { kFail, kFull, kDeny, kTorn, kDelay, kLie, kFlip };
  Effect effect = kFail;
  int64_t delay_ms = 0;  // of kDelay
  std::string operation = "any";
  std::string glob = "*";  // '*' matches any bytes, '/' too
  uint64_t nth = 1;        // counted over the calls that match
  bool and_later = false;

  [[nodiscard]] static StatusOr<FaultRule> Parse(std::string_view text);
  std::string Print() const;
  bool Matches(std::string_view operation_name, std::string_view path) const;
};

bool GlobMatches(std::string_view glob, std::string_view text);

}  // namespace sippar::engine
