// Turns tests on the row key into row ranges, and tests on a cell's time into a time range, so that
// a scan reads no more than it must. Pure. A test may have a million terms, so the functions
// that take a StopBudget end with its error when the statement is cancelled or times out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/stop_budget.h"
#include "engine/model/row_set.h"
#include "engine/program/program.h"

namespace sippar::query {

struct RowRanges {
  engine::RowSet rows;  // contains every row for which the test may be TRUE
  bool exact = false;   // the test is TRUE for every row in `rows`
};

// The rows for which `test` may be TRUE, as far as its tests on the row key tell.
[[nodiscard]] StatusOr<RowRanges> RangesOf(const engine::Expression& test,
                                           const std::vector<engine::SlotDef>& slots,
                                           engine::StopBudget* budget);

// Returns the rows for which *where may be TRUE. Tests of its top-level AND that these rows express
// completely are taken out of *where.
[[nodiscard]] StatusOr<engine::RowSet> ExtractRows(const std::vector<engine::SlotDef>& slots,
                                                   std::optional<engine::Expression>* where,
                                                   engine::StopBudget* budget);
using NamedRows = std::optional<std::set<std::string>>;
// The rows that `test` names by `row = key` and `row IN (key, …)`, alone or joined by AND and OR;
// INCREMENT and APPEND create such rows. nullopt if the test does not name its rows in this
// way, even if its ranges are single rows. A named row need not pass the test.
[[nodiscard]] StatusOr<NamedRows> RowsNamed(const engine::Expression& test,
                                            const std::vector<engine::SlotDef>& slots,
                                            engine::StopBudget* budget);
// Narrows *time by the tests on SlotDef::kTimestamp and removes these tests from *where. Requires a
// read of all versions: otherwise the narrower range would change which versions the read counts.
void ExtractTime(const std::vector<engine::SlotDef>& slots, engine::TimeRange* time,
                 std::optional<engine::Expression>* where);

// SplitAnd splits `where` at its ANDs, JoinAnd joins tests by AND. nullopt means that there is no
// test.
std::vector<engine::Expression> SplitAnd(std::optional<engine::Expression> where);
std::optional<engine::Expression> JoinAnd(std::vector<engine::Expression> tests);

}  // namespace sippar::query
