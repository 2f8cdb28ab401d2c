// What the written constants of a statement give away before it runs: tests that can hold for no
// row, regexes that are wrong. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/program/expression.h"
#include "query/session/session.h"
#include "query/syntax/expr.h"

namespace sippar::query {

// A warning in context.summary when `test` (a comparison that is not always TRUE) compares two
// constants: as a rule "language" was meant to be a column. Or when it compares with NULL.
void WarnOfConstants(const syntax::Expr& test, const StatementContext& context);

// BAD_REGEX for a call whose regex is written out: the regex itself, or the rewrite or group beside
// it.
[[nodiscard]] Status CheckRegexCall(const syntax::Expr& call, engine::Function function,
                                    const std::vector<engine::Expression>& args);

}  // namespace sippar::query
