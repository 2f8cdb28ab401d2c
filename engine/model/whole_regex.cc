// SPDX-License-Identifier: Apache-2.0
#include "engine/model/whole_regex.h"

#include <fmt/format.h>

#include <utility>

#include "engine/model/re2_options.h"
#include "engine/model/regex_prefix.h"

namespace sippar::engine {

WholeRegex::WholeRegex(std::unique_ptr<const RE2> regex, std::string_view pattern)
    : regex_(std::move(regex)), is_literal_(pattern.empty()) {
  std::string anchored = "^" + std::string(pattern);
  if (IsAnchoredAtStart(anchored)) prefix_ = LiteralHead(anchored, &is_literal_);
}

WholeRegex::~WholeRegex() = default;

StatusOr<std::shared_ptr<const WholeRegex>> WholeRegex::Compile(std::string_view pattern) {
  auto regex = CompileRegex(pattern, false, RegexUnit::kByte);
  if (!regex->ok()) {
    return InvalidArgument(
        fmt::format("regex /{}/ is not valid: {}", pattern.substr(0, 200), regex->error()));
  }
  return std::shared_ptr<const WholeRegex>(new WholeRegex(std::move(regex), pattern));
}

bool WholeRegex::Match(std::string_view text) const {
  return RE2::FullMatch(BytesPiece(text), *regex_);
}

}  // namespace sippar::engine
