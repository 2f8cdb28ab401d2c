// What a RowUpdate decides on the cells of its row instead of on slots: check-and-mutate and
// read-modify-write as the Cloud Bigtable API has them. Plain data and pure functions.
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

// Of what RowUpdate::read gives of the row: does `predicate` leave a cell?
struct CheckedMutation {
  RowFilter predicate;                 // kPassAll: has the row any cell?
  uint64_t seed = 0;                   // of the predicate's row_sample
  std::vector<MutationEntry> on_true;  // none: changes nothing
  std::vector<MutationEntry> on_false;

  void Encode(std::string* out) const;
  static CheckedMutation Decode(Reader* reader);
};

// On the newest cell of a column: appends `append`, or adds `increment` to its INT64 (absent = 0).
struct ModifyRule {
  std::string family;
  std::string qualifier;
  std::optional<std::string> append;
  int64_t increment = 0;  // wraps

  void Encode(std::string* out) const;
  static ModifyRule Decode(Reader* reader);
};

// A read of the newest cell of each column that the rules name, and the rules, in order, all or
// none of them.
RowUpdate ReadModifyWriteOf(std::string_view row, std::vector<ModifyRule> rules);

// Requires: update.IsOperation(). `row_before`: what update.read gives of the row; null: nothing.
// A cell that rules change gets `time_us`, or the time of the cell before if that is later, and is
// in the result, in order of columns. kFailedPrecondition: an increment meets a value that has not
// 8 bytes.
[[nodiscard]] StatusOr<RowUpdatePlan> PlanRowOperation(const RowUpdate& update,
                                                       CellStream* row_before, int64_t time_us);

}  // namespace sippar::engine
