// CANCEL: ends a statement of any process that uses the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// Returns when the statement has ended; after a few seconds also if it has not, and then says so.
// NOT_FOUND: no such statement is under way.
[[nodiscard]] Status ExecuteCancel(const StatementContext& context, const syntax::Cancel& cancel);

}  // namespace sippar::query
