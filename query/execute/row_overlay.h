// Cells of a few rows in memory: a mutation applied to them, a ReadSpec run over them. This is how
// a row transaction sees its own writes before COMMIT. SPDX-License-Identifier: Apache-2.0
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

// Storage order: row, family, qualifier up, time down.
bool CellBefore(const engine::Cell& a, const engine::Cell& b);

// Changes `cells` (all that are visible of the row, in storage order) as a tablet would, GC rules
// of `schema` included. Times left to the server become `now_us`. DECODE for an increment of a
// value that is no INT64.
[[nodiscard]] Status ApplyToCells(const engine::RowMutation& mutation,
                                  const engine::TableSchema& schema, int64_t now_us,
                                  std::vector<engine::Cell>* cells);

// What a read of these cells gives.
[[nodiscard]] StatusOr<std::unique_ptr<engine::CellStream>> ReadCells(
    const engine::ReadSpec& read, std::vector<engine::Cell> cells);

}  // namespace sippar::query
