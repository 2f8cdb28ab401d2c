// UNPACK: the versions of columns as rows of their own. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "engine/program/value.h"

namespace sippar::query {

// One row for each time that a version of the columns `unpacked` has, the newest first: these
// columns have the value of that time or NULL, the others stay, and the time comes last.
std::vector<engine::Row> UnpackVersions(const engine::Row& row,
                                        const std::vector<size_t>& unpacked);

}  // namespace sippar::query
