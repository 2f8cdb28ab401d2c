// Read, decide, write on one row, planned here and applied by the tablet under the row's lock:
// UPDATE, INSERT … IF, DELETE by pattern, INCREMENT, APPEND, ATOMIC, RETURNING (paper section 3:
// single-row transactions); the operations of row_operation.h. Plain data and pure functions.
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

// One step of an update. Steps of one statement see the row as it was before that statement, a
// later statement sees what those before it wrote.
struct RowWrite {
  enum Kind : uint8_t {
    kSet = 0,
    kIncrement = 1,
    kAppend = 2,
    kDeleteColumns = 3,  // of the columns that `pattern` matches, the versions within `times`
    kDeleteFamily = 4,
    kDeleteRow = 5,
    kLet = 6,   // the next of the values that SlotDef::kLet reads; NULL unless `guard` is TRUE
    kFail = 7,  // fails the whole update with the message `value`
  };
  Kind kind = kSet;
  uint32_t statement = 0;
  std::string family;  // kSet, kIncrement, kAppend, kDeleteFamily
  std::string qualifier;
  Expression value;                     // kSet, kIncrement, kAppend, kLet, kFail
  std::optional<Expression> timestamp;  // kSet, kIncrement, kAppend; none: the server's clock
  ColumnPattern pattern;                // kDeleteColumns
  std::vector<TimeRange> times;         // kDeleteColumns; empty: all versions
  std::optional<Expression> guard;      // done only when this is TRUE
};

struct RowUpdate {
  std::string row;
  // The tablet reads the row with this, before and after; rows are ignored. Its columns begin with
  // the slots' patterns and cover what kDeleteColumns means and, with only_if_exists, everything.
  ReadSpec read;
  std::vector<SlotDef> slots;
  std::vector<std::string> counter_families;
  bool only_if_exists = false;          // a row without cells is left alone (applied = false)
  std::optional<Expression> condition;  // IF, WHERE: applied only when TRUE
  std::vector<RowWrite> writes;
  std::vector<Expression> returning;  // of the row after
  int64_t now_us = 0;                 // the statement's NOW()
  RequestId request;
  // One of these takes the place of all from `slots` to `now_us`.
  std::optional<CheckedMutation> check;
  std::vector<ModifyRule> rules;
  bool IsOperation() const { return check.has_value() || !rules.empty(); }

  std::string Encode() const;
  [[nodiscard]] static StatusOr<RowUpdate> Decode(std::string_view bytes);
};

struct RowUpdateResult {
  bool existed = false;  // the row had a cell before
  bool applied = false;  // condition held; the writes (perhaps none) were made
  uint64_t cells_set = 0;
  uint64_t columns_deleted = 0;
  uint64_t cells_deleted = 0;  // versions, as far as they were read
  bool row_deleted = false;
  Row lets;                 // values of the RowWrite::kLet
  Row returning;            // filled by FinishRowUpdate when applied
  bool matched = false;     // RowUpdate::check: the predicate left a cell
  std::vector<Cell> cells;  // RowUpdate::rules: what they made of the columns that they name

  std::string Encode() const;
  [[nodiscard]] static StatusOr<RowUpdateResult> Decode(std::string_view bytes);
};

struct RowUpdatePlan {
  RowMutation mutation;  // no entries: nothing to write
  RowUpdateResult result;
};

// What `read` gives of the row as it would be after `writes`, GC rules and all; without entries as
// it is.
using RowAfter = std::function<StatusOr<std::unique_ptr<CellStream>>(const RowMutation& writes,
                                                                     const ReadSpec& read)>;

// Decides what to write. `server_time_us` is the time of cells whose time is left to the server, so
// that a later statement reads the time that is written; kServerTime: it is not known yet. A cell
// of an update of one statement keeps kServerTime; the tablet fills it in.
[[nodiscard]] StatusOr<RowUpdatePlan> PlanRowUpdate(const RowUpdate& update,
                                                    const RowAfter& row_after,
                                                    int64_t server_time_us);
// Evaluates `returning` on the row as it is after the write.
[[nodiscard]] Status FinishRowUpdate(const RowUpdate& update, CellStream* row_after,
                                     RowUpdateResult* result);

}  // namespace sippar::engine
