// Runs a program on the tablets of a table, a few at once, and on the row of the open transaction
// together with the transaction's own writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/program/program.h"
#include "query/session/session.h"

namespace sippar::query {

// Receives a batch of the program's rows. Returns false when it needs no more rows.
using BatchHandler = std::function<StatusOr<bool>(std::vector<Row>)>;

// Passes the program's rows to `handler`, on the calling thread, in the order of the scan. The
// program's limit counts the rows of all tablets if it has no order keys; otherwise each tablet
// sends its own first rows, and the caller merges them.
[[nodiscard]] Status RunOnTablets(const StatementContext& context, const std::string& table,
                                  const engine::Program& program, const BatchHandler& handler);

}  // namespace sippar::query
