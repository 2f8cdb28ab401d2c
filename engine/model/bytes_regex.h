// A regex over the bytes of names and row keys, in RE2 syntax, with bounded size and memory. It
// matches anywhere in the text unless it is anchored. search_regex.h searches values, whole_regex.h
// matches whole texts. Immutable and thread safe.
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

class BytesRegex final {
 public:
  // kInvalidArgument, with RE2's reason, for a malformed or too large regex.
  [[nodiscard]] static StatusOr<std::shared_ptr<const BytesRegex>> Compile(
      std::string_view pattern, bool case_insensitive = false);
  ~BytesRegex();

  bool Found(std::string_view text) const;
  // The literal prefix of every matching text if the pattern is anchored with ^ and respects case;
  // else "".
  std::string LiteralPrefix() const;

 private:
  explicit BytesRegex(std::unique_ptr<const re2::RE2> regex);

  const std::unique_ptr<const re2::RE2> regex_;
};

}  // namespace sippar::engine
