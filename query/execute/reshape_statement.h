// SPLIT TABLE and MERGE TABLETS, which change the tablets of a table by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

[[nodiscard]] Status ExecuteSplit(const StatementContext& context, const syntax::SplitTable& split);
[[nodiscard]] Status ExecuteMerge(const StatementContext& context,
                                  const syntax::MergeTablets& merge);

}  // namespace sippar::query
