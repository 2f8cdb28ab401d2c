// Regexes of row filters: RE2 over bytes, matched against the whole text; '.' is any byte but
// . Immutable and thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::engine {

class WholeRegex {
 public:
  // kInvalidArgument, with RE2's reason, for a malformed regex or one that needs too much memory.
  [[nodiscard]] static StatusOr<std::shared_ptr<const WholeRegex>> Compile(
      std::string_view pattern);
  virtual ~WholeRegex() = default;
  virtual bool Matches(std::string_view text) const = 0;
  // The prefix that every matching text begins with.
  virtual const std::string& prefix() const = 0;
  // True when prefix() is the only text that matches. When in doubt, false.
  virtual bool is_literal() const = 0;
};

}  // namespace sippar::engine
