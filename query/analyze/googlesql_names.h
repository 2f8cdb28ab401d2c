// The GoogleSQL functions that have another name in Sippar, as rows of the call table. Each such
// call is rewritten into our own functions before it is compiled, and so is IN UNNEST.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "query/analyze/callable_names.h"

namespace sippar::query {

std::vector<CallInfo> GoogleCalls();
// Rewrites x IN UNNEST(list), of a list that is known only when the row is read, into functions
// that every server knows.
syntax::Expr InUnnest(const syntax::Expr& in);

}  // namespace sippar::query
