// TAIL t … on a table without a change stream: looks at the table once a second and shows the cells
// that are new (tail_looks.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/api/admin_calls.h"
#include "query/execute/tail_view.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// Returns a row for each cell that a look finds for the first time. `end.end_us` is a time of
// cells: the look that begins after it is the last. Ends also at the limit, or when it is stopped;
// the summary's `next` says how to continue.
[[nodiscard]] Status PollTable(const StatementContext& context, const syntax::Tail& tail,
                               const cluster::TableInfo& info, const TailView& view,
                               const TailEnd& end);

}  // namespace sippar::query
