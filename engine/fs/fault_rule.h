// One injected fault as plain data, with a text form (after Pebble's errorfs): effect, operation,
// path pattern, count.
//   fail write *.sst 3        the third write to a matching path fails with EIO
//   fail any * 17             the 17th call of any kind fails; counted over all paths
//   full write *.log 2+       the second and every later write reports that no space is left
//   deny create * 1+          every create reports a read-only file system
//   torn write *.log 4        half of the bytes arrive, then the write fails
//   torn rename * 2           the rename is done but reported as failed; the same for sync,
//                             create, remove, link, mkdir, syncdir
//   flip read *.sst 5         one byte of the data that is read or written is changed
//   delay:400 sync *.log 5    the call takes 400 ms longer, then succeeds
//   lie sync *.log 2+         the call reports OK and does nothing
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
  int64_t delay_ms = 0;  // only for kDelay
  std::string operation = "any";
  std::string glob = "*";  // '*' matches any bytes, '/' included
  uint64_t nth = 1;        // the count of matching calls at which the fault happens
  bool and_later = false;

  // Parses the text form. kInvalidArgument names the wrong part.
  [[nodiscard]] static StatusOr<FaultRule> Parse(std::string_view text);
  std::string Print() const;
  bool Matches(std::string_view operation_name, std::string_view path) const;
};

// True if the whole `text` matches the pattern, in which '*' stands for any bytes.
bool GlobMatches(std::string_view glob, std::string_view text);

}  // namespace sippar::engine
