// Read, decide, write on one row, planned here and applied by the tablet under the row's lock:
// UPDATE, INSERT … IF, DELETE by pattern, INCREMENT, APPEND, ATOMIC, RETURNING (paper section 3:
// single-row transactions). Plain data and pure functions. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

namespace sippar::engine {

struct RowWrite {
  enum Kind : uint8_t {
    kSet = 0,
    kIncrement = 1,
    kAppend = 2,
    kDeleteColumns = 3,  // of the columns that `pattern` matches, the versions within `times`
    kDeleteFamily = 4,
    kDeleteRow = 5,
  };
  Kind kind = kSet;
  std::string family;  // kSet, kIncrement, kAppend, kDeleteFamily
  std::string qualifier;
  Expression value;                     // kSet, kIncrement, kAppend
  std::optional<Expression> timestamp;  // kSet, kIncrement, kAppend; none: the server's clock
  ColumnPattern pattern;                // kDeleteColumns
  std::vector<TimeRange> times;         // kDeleteColumns; empty: all versions
  std::optional<Expression> guard;      // written only when this is TRUE (of the row before)
};

// Fails the whole update when `guard` is TRUE: FAIL of ATOMIC blocks.
struct RowFailure {
  std::optional<Expression> guard;
  Expression message;
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
  std::vector<Expression> lets;         // of the row before; SlotDef::kLet reads them
  std::vector<RowFailure> failures;
  std::vector<RowWrite> writes;
  std::vector<Expression> returning;  // of the row after
  int64_t now_us = 0;                 // the statement's NOW()
  RequestId request;

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
  Row lets;       // values of RowUpdate::lets
  Row returning;  // filled by FinishRowUpdate when applied

  std::string Encode() const;
  [[nodiscard]] static StatusOr<RowUpdateResult> Decode(std::string_view bytes);
};

struct RowUpdatePlan {
  RowMutation mutation;  // no entries: nothing to write
  RowUpdateResult result;
};

// Decides what to write from the row as it is. `now_us` is the server's clock. A cell of a set
// without a timestamp gets kServerTime; the tablet fills it in.
[[nodiscard]] StatusOr<RowUpdatePlan> PlanRowUpdate(const RowUpdate& update, CellStream* row_before,
                                                    int64_t now_us);
// Evaluates `returning` on the row as it is after the write.
[[nodiscard]] Status FinishRowUpdate(const RowUpdate& update, CellStream* row_after,
                                     RowUpdateResult* result);

}  // namespace sippar::engine
