// TAIL t … shows the changes of a table as they are committed: from its change stream, or without
// one by looking for new cells (tail_poll.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// Returns a row for each cell that is set and for each deletion of a change stream. The changes of
// one row of the table come in the order of their commits. Ends at LIMIT, at the commit time TO, or
// when it is stopped; the summary's `next` says how to continue.
[[nodiscard]] Status ExecuteTail(const StatementContext& context, const syntax::Tail& tail);

}  // namespace sippar::query
