// SPDX-License-Identifier: Apache-2.0
#include "query/parse/option_builder.h"

namespace sippar::query {

std::vector<syntax::Option> OptionBuilder::Build(
    const std::vector<SipparParser::OptionContext*>& options) {
  std::vector<syntax::Option> out;
  for (auto* context : options) {
    syntax::Option option;
    option.name = expressions_->Name(context->name());
    // A flag such as IN_MEMORY has neither a literal nor a call. Its value stays empty, and the
    // schema planner decides whether the option needs one: the grammar does not know the names of
    // options, so a new option needs no new keyword.
    if (context->literal() != nullptr) option.value = Build(context->literal());
    if (context->optionCall() != nullptr) option.value = Build(context->optionCall());
    out.push_back(std::move(option));
  }
  return out;
}

std::vector<syntax::Option> OptionBuilder::Build(SipparParser::OptionListContext* context) {
  if (context == nullptr) return {};
  return Build(context->option());
}

syntax::OptionValue OptionBuilder::Build(SipparParser::LiteralContext* context) {
  syntax::OptionValue value;
  value.span = expressions_->SpanOf(context);
  value.literal = expressions_->Build(context);
  return value;
}

syntax::OptionValue OptionBuilder::Build(SipparParser::OptionCallContext* context) {
  syntax::OptionValue value;
  value.span = expressions_->SpanOf(context);
  value.call = expressions_->Name(context->name()).text;
  // Calls nest (UNION(VERSIONS(3), AGE(30d))), and this recursion follows them. LexedText::Check
  // has already limited the number of open brackets.
  for (auto* arg : context->optionArg()) {
    value.args.push_back(arg->literal() != nullptr ? Build(arg->literal())
                                                   : Build(arg->optionCall()));
  }
  if (context->literal() != nullptr) value.args.push_back(Build(context->literal()));
  return value;
}

}  // namespace sippar::query
