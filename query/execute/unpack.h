// UNPACK turns the versions of columns into rows. Delivers the rows one after another, since each
// holds a copy of the other columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::query {

// Passes to `give` one row for each time at which a column in `unpacked` has a version, newest
// first. In this row, each column in `unpacked` has its value at that time or NULL, all other
// columns are unchanged, and the time is the last value. Returns false once `give` returns false.
[[nodiscard]] StatusOr<bool> UnpackVersions(
    const engine::Row& row, const std::vector<size_t>& unpacked,
    const std::function<StatusOr<bool>(engine::Row row)>& give);

}  // namespace sippar::query
