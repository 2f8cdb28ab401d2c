// Updates whose effect depends on the cells of the row itself instead of on slots: check-and-mutate
// and read-modify-write, as in the Cloud Bigtable API. Plain data and pure functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/coding.h"
#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/mutation.h"
#include "engine/read/row_filter.h"

namespace sippar::engine {

struct RowUpdate;
struct RowUpdatePlan;

// Applies `on_true` if `predicate` leaves at least one of the cells that RowUpdate::read returns,
// else `on_false`.
struct CheckedMutation {
  RowFilter predicate;                 // condition; kPassAll is true if the row has a cell
  uint64_t seed = 0;                   // seed of the predicate's row_sample
  std::vector<MutationEntry> on_true;  // empty: changes nothing
  std::vector<MutationEntry> on_false;

  void Encode(std::string* out) const;
  static CheckedMutation Decode(Reader* reader);
};

// Changes the newest cell of a column: appends `append`, or adds `increment` to its INT64 (0 if
// there is no cell).
struct ModifyRule {
  std::string family;
  std::string qualifier;
  std::optional<std::string> append;
  int64_t increment = 0;  // wraps around on overflow

  void Encode(std::string* out) const;
  static ModifyRule Decode(Reader* reader);
};

// An update that reads the newest cell of each column that the rules name, then applies the rules
// in order, all or none.
RowUpdate ReadModifyWriteOf(std::string_view row, std::vector<ModifyRule> rules);

// kInvalidArgument if a rule increments a family that cannot be incremented. The mutation that the
// rules become no longer tells an increment from a write, so RowMutation::Validate cannot refuse
// it.
[[nodiscard]] Status ValidateRules(const std::vector<ModifyRule>& rules, const TableSchema& schema);
// Decides what an operation writes. Requires: update.IsOperation(). `row_before`: the row as
// update.read returns it; null: no cells. Each cell that rules change gets `time_us`, or the time
// of the column's newest cell if that is later. The plan's result holds these cells, sorted by
// column.
// kFailedPrecondition: the value to increment does not have 8 bytes.
[[nodiscard]] StatusOr<RowUpdatePlan> PlanRowOperation(const RowUpdate& update,
                                                       CellStream* row_before, int64_t time_us);

}  // namespace sippar::engine
