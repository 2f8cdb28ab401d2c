// SPDX-License-Identifier: Apache-2.0
#include "engine/model/whole_regex.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "engine/base/limits.h"
#include "engine/model/regex_prefix.h"

namespace sippar::engine {
namespace {

class Re2WholeRegex final : public WholeRegex {
 public:
  Re2WholeRegex(std::string_view pattern, const RE2::Options& options)
      : re2_({pattern.data(), pattern.size()}, options), is_literal_(pattern.empty()) {
    std::string anchored = "^" + std::string(pattern);
    if (IsAnchoredAtStart(anchored)) prefix_ = LiteralHead(anchored, &is_literal_);
  }
  bool Matches(std::string_view text) const override {
    return is_literal_ ? text == prefix_
                       : RE2::FullMatch(re2::StringPiece(text.data(), text.size()), re2_);
  }
  const std::string& prefix() const override { return prefix_; }
  bool is_literal() const override { return is_literal_; }
  const RE2& re2() const { return re2_; }

 private:
  RE2 re2_;
  std::string prefix_;
  bool is_literal_;
};

}  // namespace

StatusOr<std::shared_ptr<const WholeRegex>> WholeRegex::Compile(std::string_view pattern) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);  // bytes: keys and values need not be UTF-8
  options.set_log_errors(false);
  options.set_dot_nl(false);
  options.set_max_mem(limits::kRegexMemoryMax);
  auto regex = std::make_shared<Re2WholeRegex>(pattern, options);
  if (!regex->re2().ok()) {
    return InvalidArgument(
        fmt::format("bad regex /{}/: {}", pattern.substr(0, 200), regex->re2().error()));
  }
  return std::shared_ptr<const WholeRegex>(std::move(regex));
}

}  // namespace sippar::engine
