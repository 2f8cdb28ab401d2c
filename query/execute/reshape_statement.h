// Statements for administrators. SPLIT TABLE and MERGE TABLETS change which tablets a table has,
// MOVE TABLET and BALANCE change which servers serve them, COMPACT and FLUSH write their SSTables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

[[nodiscard]] Status ExecuteSplit(const StatementContext& context, const syntax::SplitTable& split);
[[nodiscard]] Status ExecuteMerge(const StatementContext& context,
                                  const syntax::MergeTablets& merge);
[[nodiscard]] Status ExecuteCompact(const StatementContext& context,
                                    const syntax::Compact& compact);
[[nodiscard]] Status ExecuteFlush(const StatementContext& context, const syntax::Flush& flush);
// Returns when the server serves the tablet, as calls::MoveTablet does.
[[nodiscard]] Status ExecuteMove(const StatementContext& context, const syntax::MoveTablet& move);
[[nodiscard]] Status ExecuteBalance(const StatementContext& context,
                                    const syntax::Balance& balance);

}  // namespace sippar::query
