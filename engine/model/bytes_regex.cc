// SPDX-License-Identifier: Apache-2.0
#include "engine/model/bytes_regex.h"

#include <utility>

#include "engine/model/re2_options.h"
#include "engine/model/regex_prefix.h"

namespace sippar::engine {

BytesRegex::BytesRegex(std::unique_ptr<const RE2> regex) : regex_(std::move(regex)) {}

BytesRegex::~BytesRegex() = default;

StatusOr<std::shared_ptr<const BytesRegex>> BytesRegex::Compile(std::string_view pattern,
                                                                bool case_insensitive) {
  // Checks the size first, because a longer regex costs more to compile.
  RETURN_IF_ERROR(CheckRegexSize(pattern));
  auto regex = CompileRegex(pattern, case_insensitive, RegexUnit::kByte);
  RETURN_IF_ERROR(CheckRegexCompiled(*regex));
  return std::shared_ptr<const BytesRegex>(new BytesRegex(std::move(regex)));
}

bool BytesRegex::Found(std::string_view text) const {
  return RE2::PartialMatch(BytesPiece(text), *regex_);
}

std::string BytesRegex::LiteralPrefix() const {
  // Without the anchor a match may begin anywhere, and if case is ignored a prefix has several
  // spellings.
  const std::string_view pattern = PatternOf(*regex_);
  if (!regex_->options().case_sensitive() || !IsAnchoredAtStart(pattern)) return "";
  bool whole = false;
  return LiteralHead(pattern, &whole);
}

}  // namespace sippar::engine
