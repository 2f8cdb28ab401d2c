// Applies a mutation to cells in memory, and runs a ReadSpec over them. In this way a row
// transaction shows its own writes before COMMIT. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/cell.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"

namespace sippar::query {

// Storage order: row, family and qualifier ascending, time descending.
bool CellBefore(const engine::Cell& a, const engine::Cell& b);

// Changes `*cells` as a tablet would, including the GC rules of `schema`. `*cells` holds all
// visible cells of the row in storage order. Times that are left to the server become `now_us`.
// kFailedPrecondition for an increment of a value that is not an INT64, and for an addition to an
// aggregate.
[[nodiscard]] Status ApplyToCells(const engine::RowMutation& mutation,
                                  const engine::TableSchema& schema, int64_t now_us,
                                  std::vector<engine::Cell>* cells);

// The cells that the read `read` returns from `cells`, which are in storage order.
[[nodiscard]] StatusOr<std::unique_ptr<engine::CellStream>> ReadCells(
    const engine::ReadSpec& read, std::vector<engine::Cell> cells);

}  // namespace sippar::query
