// Updates that read one row, decide, and write it. This file plans them, and the tablet applies
// them under the row's lock: UPDATE, INSERT … IF, DELETE by pattern, INCREMENT, APPEND, ATOMIC,
// RETURNING (paper section 3, single-row transactions), and the operations of row_operation.h.
// Plain data and pure functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/program/expression.h"
#include "engine/program/program.h"
#include "engine/program/row_operation.h"

namespace sippar::engine {

// One step of an update. The steps of one statement see the row as it was before that statement; a
// later statement sees what those before it wrote.
struct RowWrite {
  enum Kind : uint8_t {
    kSet = 0,
    kIncrement = 1,
    kAppend = 2,
    kDeleteColumns = 3,  // versions within `times` of the columns that match `pattern`
    kDeleteFamily = 4,
    kDeleteRow = 5,
    // Appends `value`, or NULL unless `guard` is TRUE, to the values that SlotDef::kLet reads.
    kLet = 6,
    kFail = 7,  // fails the whole update with the message `value`
  };
  Kind kind = kSet;
  uint32_t statement = 0;
  // The comment of a field names the kinds of steps that use the field.
  std::string family;  // kSet, kIncrement, kAppend, kDeleteFamily
  std::string qualifier;
  Expression value;                     // kSet, kIncrement, kAppend, kLet, kFail
  std::optional<Expression> timestamp;  // kSet, kIncrement, kAppend; none: the server's clock
  ColumnPattern pattern;                // kDeleteColumns
  std::vector<TimeRange> times;         // kDeleteColumns; empty: all versions
  std::optional<Expression> guard;      // the step is done only if this is TRUE
};

struct RowUpdate {
  std::string row;
  // What the tablet reads of the row, before and after the update; the tablet ignores read.rows.
  // read.columns begins with the patterns of the slots. It also covers the columns of
  // kDeleteColumns and, with only_if_exists, all columns.
  ReadSpec read;
  std::vector<SlotDef> slots;
  TypedFamilies families;
  bool only_if_exists = false;          // true: a row without cells is not changed
  std::optional<Expression> condition;  // IF or WHERE; the update is applied only if it is TRUE
  std::vector<RowWrite> writes;
  std::vector<Expression> returning;  // evaluated on the row after the update
  int64_t now_us = 0;                 // the statement's NOW()
  RequestId request;
  // If one of these is set, it replaces all fields from `slots` to `now_us`.
  std::optional<CheckedMutation> check;
  std::vector<ModifyRule> rules;
  bool IsOperation() const { return check.has_value() || !rules.empty(); }

  std::string Encode() const;
  [[nodiscard]] static StatusOr<RowUpdate> Decode(std::string_view bytes);
};

struct RowUpdateResult {
  bool existed = false;  // the row had a cell before the update
  bool applied = false;  // the condition held; the writes, if any, were made
  uint64_t cells_set = 0;
  uint64_t columns_deleted = 0;
  uint64_t cells_deleted = 0;  // number of deleted versions, as far as the update read them
  bool row_deleted = false;
  Row lets;              // values of the kLet steps
  Row returning;         // filled by FinishRowUpdate if applied
  bool matched = false;  // for RowUpdate::check: the predicate left at least one cell
  // For RowUpdate::rules: the new cells of the columns that the rules name.
  std::vector<Cell> cells;

  std::string Encode() const;
  [[nodiscard]] static StatusOr<RowUpdateResult> Decode(std::string_view bytes);
};

struct RowUpdatePlan {
  RowMutation mutation;  // the writes; empty if there is nothing to write
  RowUpdateResult result;
};

// Reads the row as it would be after `writes`, with GC rules applied; with no entries in `writes`,
// the row as it is.
using RowAfter = std::function<StatusOr<std::unique_ptr<CellStream>>(const RowMutation& writes,
                                                                     const ReadSpec& read)>;

// Decides what to write. Cells for which the client gave no timestamp get `server_time_us`. The
// caller passes it in, so that later statements of the same update read these cells with their
// final timestamp. It is kServerTime if the final timestamp is not known yet. An update of a single
// statement leaves kServerTime in such cells, and the tablet replaces it.
[[nodiscard]] StatusOr<RowUpdatePlan> PlanRowUpdate(const RowUpdate& update,
                                                    const RowAfter& row_after,
                                                    int64_t server_time_us);
// Evaluates `returning` on the row as it is after the write.
[[nodiscard]] Status FinishRowUpdate(const RowUpdate& update, CellStream* row_after,
                                     RowUpdateResult* result);

}  // namespace sippar::engine
