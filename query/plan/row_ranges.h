// Turns tests on the row key into row ranges, and tests on a cell's time into a time range, so that
// a scan reads no more than it must. Pure; a test may have a million terms, so that what walks over
// them spends a budget and ends with the status of its signal. SPDX-License-Identifier: Apache-2.0
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
  engine::RowSet rows;  // every row for which the test may be TRUE
  bool exact = false;   // and for no other row: the test is spent
};

// What `test` says about the slot that holds the row key.
[[nodiscard]] StatusOr<RowRanges> RangesOf(const engine::Expression& test,
                                           const std::vector<engine::SlotDef>& slots,
                                           engine::StopBudget* budget);

// Splits `where` at its top-level AND: tests that ranges express completely are taken out, the rest
// stays in *where.
[[nodiscard]] StatusOr<engine::RowSet> ExtractRows(const std::vector<engine::SlotDef>& slots,
                                                   std::optional<engine::Expression>* where,
                                                   engine::StopBudget* budget);
using NamedRows = std::optional<std::set<std::string>>;
// The rows that `test` names, for INCREMENT and APPEND, which make these: by `row = key` and `row
// IN (key, …)`, alone or joined by AND and OR. nullopt: it names none, whatever ranges it comes to.
// Not each of them need pass the test.
[[nodiscard]] StatusOr<NamedRows> RowsNamed(const engine::Expression& test,
                                            const std::vector<engine::SlotDef>& slots,
                                            engine::StopBudget* budget);
// Tests on SlotDef::kTimestamp. Only right when every version is read.
void ExtractTime(const std::vector<engine::SlotDef>& slots, engine::TimeRange* time,
                 std::optional<engine::Expression>* where);

// The conjuncts of `where`, and back. Join of none is nullopt.
std::vector<engine::Expression> SplitAnd(std::optional<engine::Expression> where);
std::optional<engine::Expression> JoinAnd(std::vector<engine::Expression> tests);

}  // namespace sippar::query
