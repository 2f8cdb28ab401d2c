// Finds expressions whose types do not fit before anything is read, so that such an error does not
// depend on the data. The engine decides what a call accepts: the check evaluates the call with a
// sample value of each type, so the engine's rules are not repeated here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/analyze/data_types.h"
#include "query/analyze/scope.h"
#include "query/syntax/span.h"

namespace sippar::query {

// The type of `expression` in `scope`; kNull: known only when the expression runs.
DataType TypeIn(const Scope& scope, const engine::Expression& expression);

// Prepares the comparison of `*value` with `other`. If `other` is a number and `*value` a cell that
// may belong to a counter, the cell is read as a number; cells that are not 8 bytes become NULL. If
// `other` is a TIMESTAMP or an INT64, as the times of cells are, a DATE is read as a TIMESTAMP.
void ReadLike(const Scope& scope, const engine::Expression& other, engine::Expression* value);
// False: ReadLike leaves the value as it is, whatever it is compared with.
bool MayReadLike(const Scope& scope, const engine::Expression& value);
// Makes a DATE the TIMESTAMP of 00:00 UTC; other values stay as they are.
void ReadDateAsTime(const Scope& scope, engine::Expression* value);

// Returns TYPE at `span` if a call that was just compiled cannot accept its arguments. An argument
// that has its own place in the text was checked when it was compiled.
[[nodiscard]] Status CheckTypes(const Scope& scope, const engine::Expression& expression,
                                const Span& span);
// TYPE if a condition (WHERE, HAVING, IF) can be neither TRUE nor FALSE.
[[nodiscard]] Status CheckTest(const Scope& scope, const engine::Expression& test,
                               const Span& span);
// TYPE if an aggregate cannot accept its argument.
[[nodiscard]] Status CheckAggregate(const Scope& scope, const engine::AggregateDef& aggregate,
                                    const Span& span);

}  // namespace sippar::query
