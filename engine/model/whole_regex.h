// A regex of row filters: RE2 over bytes, matched against the whole text. '.' is any byte except a
// newline. Immutable and thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace re2 {
class RE2;
}

namespace sippar::engine {

class WholeRegex final {
 public:
  // kInvalidArgument, with RE2's reason, for a malformed regex or one that needs too much memory.
  [[nodiscard]] static StatusOr<std::shared_ptr<const WholeRegex>> Compile(
      std::string_view pattern);
  ~WholeRegex();

  bool Matches(std::string_view text) const { return is_literal_ ? text == prefix_ : Match(text); }
  // A prefix of every text that matches.
  const std::string& prefix() const { return prefix_; }
  // True when prefix() is the only text that matches. When in doubt, false.
  bool is_literal() const { return is_literal_; }

 private:
  WholeRegex(std::unique_ptr<const re2::RE2> regex, std::string_view pattern);
  bool Match(std::string_view text) const;

  const std::unique_ptr<const re2::RE2> regex_;
  std::string prefix_;
  bool is_literal_ = false;
};

}  // namespace sippar::engine
