// The GoogleSQL functions that have another name in Sippar, as rows of the call table. Each such
// call is rewritten into our own functions before it is compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "query/analyze/callable_names.h"

namespace sippar::query {

std::vector<CallInfo> GoogleCalls();

}  // namespace sippar::query
