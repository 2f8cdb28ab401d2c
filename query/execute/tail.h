// TAIL t … shows the changes of a table as they are committed: from its change stream, or without
// one by looking for new cells (tail_poll.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// On a table with a change stream, returns a row for each cell that a write set and for each
// delete. The changes of one row of the table come in the order of their commits. On a table
// without one, returns the cells that are new at each look, and no deletes. Ends at LIMIT (the
// changes of one write are not divided), at the time TO, or when it is stopped; the summary's
// `next` says how to continue.
[[nodiscard]] Status ExecuteTail(const StatementContext& context, const syntax::Tail& tail);

}  // namespace sippar::query
