// Builds options, NAME = VALUE, of tables, families, groups, backups, imports and exports. A value
// is a literal or a call of values, as in UNION(VERSIONS(3), AGE(30d)). Private to query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "query/parse/expression_builder.h"

namespace sippar::query {

class OptionBuilder {
 public:
  explicit OptionBuilder(ExpressionBuilder* expressions) : expressions_(expressions) {}

  std::vector<syntax::Option> Build(const std::vector<SipparParser::OptionContext*>& options);
  // The options in parentheses after WITH; none if `context` is nullptr.
  std::vector<syntax::Option> Build(SipparParser::OptionListContext* context);

 private:
  syntax::OptionValue Build(SipparParser::LiteralContext* context);
  syntax::OptionValue Build(SipparParser::OptionCallContext* context);

  ExpressionBuilder* const expressions_;
};

}  // namespace sippar::query
