// Runs a program on the tablets of a table, in the order of the scan, and on the row of the open
// transaction with its own writes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/program/program.h"
#include "query/session/session.h"

namespace sippar::query {

// Takes a batch of the program's rows; false = enough.
using BatchHandler = std::function<StatusOr<bool>(std::vector<Row>)>;

// The program's limit holds over all tablets when it has no order keys.
[[nodiscard]] Status RunOnTablets(const StatementContext& context, const std::string& table,
                                  const engine::Program& program, const BatchHandler& handler);

}  // namespace sippar::query
