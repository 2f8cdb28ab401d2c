// Types that do not fit are errors of the statement, whatever the data are: found from the types of
// columns and constants before anything is read. What a call takes is the engine's to say: it is
// asked with a sample of each type. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/analyze/data_types.h"
#include "query/analyze/scope.h"
#include "query/syntax/span.h"

namespace sippar::query {

// As TypeOf, of what `scope` knows; kNull: not known before the expression runs.
DataType TypeIn(const Scope& scope, const engine::Expression& expression);

// Of two values that are compared: 8 bytes of a cell that may be a counter's are a number beside a
// number, others NULL.
void ReadMixedAsNumber(const Scope& scope, const engine::Expression& other,
                       engine::Expression* value);

// TYPE, at `span`, when a call that was just compiled cannot take what it gets. Arguments with a
// place of their own were checked before.
[[nodiscard]] Status CheckTypes(const Scope& scope, const engine::Expression& expression,
                                const Span& span);
// TYPE when a test (WHERE, HAVING, IF) can be neither TRUE nor FALSE.
[[nodiscard]] Status CheckTest(const Scope& scope, const engine::Expression& test,
                               const Span& span);
// TYPE when an aggregate cannot take its argument.
[[nodiscard]] Status CheckAggregate(const Scope& scope, const engine::AggregateDef& aggregate,
                                    const Span& span);

}  // namespace sippar::query
