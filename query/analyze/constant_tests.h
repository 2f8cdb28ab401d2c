// Mistakes that the constants of a statement show before it runs: comparisons that hold for no row,
// and regexes and JSON paths that are not valid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/program/expression.h"
#include "query/session/session.h"
#include "query/syntax/expr.h"

namespace sippar::query {

// Adds a warning to context.summary if `test`, a comparison that is not always TRUE, compares with
// NULL or compares two constants: the usual mistake is a column name in quotes.
void WarnOfConstants(const syntax::Expr& test, const StatementContext& context);

// BAD_REGEX for a call whose regex is a literal: if RE2 refuses the regex, or if the call's rewrite
// text or group number does not fit it.
[[nodiscard]] Status CheckRegexCall(const syntax::Expr& call, engine::Function function,
                                    const std::vector<engine::Expression>& args);

// BAD_PATH for a call whose JSON path is a literal and is not a valid path.
[[nodiscard]] Status CheckJsonCall(const syntax::Expr& call, engine::Function function,
                                   const std::vector<engine::Expression>& args);

}  // namespace sippar::query
