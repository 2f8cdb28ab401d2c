// GoogleSQL's names for what has another name here, each a call that is written in our own. Rows of
// call_table.h. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "query/analyze/call_table.h"

namespace sippar::query {

std::vector<CallInfo> GoogleCalls();

}  // namespace sippar::query
