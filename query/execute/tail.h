// TAIL t …: the changes of a table that has a change stream, as they are committed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// Gives a row for each cell that is set and each deletion, for each row of the table in the order
// of the commits. Ends at LIMIT, at the commit time TO, or when it is stopped; the summary's `next`
// says how to go on.
[[nodiscard]] Status ExecuteTail(const StatementContext& context, const syntax::Tail& tail);

}  // namespace sippar::query
