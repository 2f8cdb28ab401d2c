// SPDX-License-Identifier: Apache-2.0
#include "query/syntax/option_print.h"

#include <fmt/format.h>

#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

std::string ValueText(const syntax::OptionValue& value) {
  if (value.literal) return Print(*value.literal);
  std::string out = QuoteName(value.call);
  for (size_t i = 0; i < value.args.size(); ++i) {
    out += (i == 0 ? "(" : ", ") + ValueText(value.args[i]);
  }
  return value.args.empty() ? out : out + ")";
}

}  // namespace

std::string PrintOption(const syntax::Option& option) {
  const std::string name = QuoteName(option.name.text);
  return option.value ? fmt::format("{} = {}", name, ValueText(*option.value)) : name;
}

std::string PrintOptionsAfter(const std::vector<syntax::Option>& options) {
  std::string out;
  for (const syntax::Option& option : options) out += " " + PrintOption(option);
  return out;
}

std::string PrintWithOptions(const std::vector<syntax::Option>& options) {
  std::string out;
  for (const syntax::Option& option : options) {
    out += (out.empty() ? "" : ", ") + PrintOption(option);
  }
  return options.empty() ? "" : fmt::format(" WITH ({})", out);
}

}  // namespace sippar::query
