// UNPACK: the versions of columns as rows of their own. Decides nothing else; gives one row after
// the other, since each holds a copy of the other columns. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::query {

// Gives one row for each time that a version of the columns `unpacked` has, the newest first: these
// columns have the value of that time or NULL, the others stay, and the time comes last. Ends when
// `give` answers false, which is then the result.
[[nodiscard]] StatusOr<bool> UnpackVersions(
    const engine::Row& row, const std::vector<size_t>& unpacked,
    const std::function<StatusOr<bool>(engine::Row row)>& give);

}  // namespace sippar::query
