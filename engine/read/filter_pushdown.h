// Turns parts of a row filter into limits of the read: rows, columns, times, newest versions, first
// cells of each row, no values. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/model/read_spec.h"
#include "engine/read/row_filter.h"

namespace sippar::engine {

// Narrows `read` so that `filter`, run over its result, gives the same cells as before. `families`
// are the families of the table. Returns true when the narrowed read alone gives that result and no
// filter needs to run. Requires that filter.Validate() is OK and that `read` has only rows and
// direction set.
[[nodiscard]] bool PushDownFilter(const RowFilter& filter, const std::vector<std::string>& families,
                                  ReadSpec* read);

}  // namespace sippar::engine
