// What of a row filter a read can do by seeking instead of looking: rows, columns, times, newest
// versions, one key per row. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/model/read_spec.h"
#include "engine/read/row_filter.h"

namespace sippar::engine {

// Narrows `read` so that `filter` run over what it gives has the same result as before; `families`
// are those of the table. True when the narrowed read alone has that result and nothing is left to
// run. Requires: filter.Validate() is OK; `read` has rows and direction only.
[[nodiscard]] bool PushDownFilter(const RowFilter& filter, const std::vector<std::string>& families,
                                  ReadSpec* read);

}  // namespace sippar::engine
