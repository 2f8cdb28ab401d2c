// Program: the part of a query that runs next to the data: what to read, filter, outputs or partial
// aggregates, order and limit. query/ compiles to it, cluster/ carries it as bytes, the engine runs
// it (run_program.h). Plain data. Encoded by program.cc. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/read_spec.h"
#include "engine/program/aggregate.h"
#include "engine/program/expression.h"

namespace sippar::engine {

// An input of the program's expressions, taken from the row (or the cell) at hand.
struct SlotDef {
  enum Kind : uint8_t {
    kRow = 0,  // the row key, TEXT
    // One cell; only with Program::kCells.
    kFamily = 1,
    kQualifier = 2,
    kColumn = 3,  // family:qualifier
    kTimestamp = 4,
    kValue = 5,
    // Of the cells that read.columns[pattern] matches; only with Program::kRows.
    kNewest = 10,        // value of the newest version of the first matching column
    kNewestTime = 11,    // its time, INT64
    kVersionCount = 12,  // matching cells, INT64
    kHistory = 13,       // ARRAY of STRUCT(timestamp, value), newest first
    kMap = 14,           // MAP name -> newest value; names are qualifiers, or family:qualifier when
                         // the pattern's family part is not exact
    kMapHistory = 15,    // MAP name -> ARRAY of STRUCT(timestamp, value)
    kLet = 20,           // RowUpdate::lets[pattern], evaluated before the writes
  };
  Kind kind = kRow;
  uint32_t pattern = 0;
  bool operator==(const SlotDef&) const = default;
};

struct OrderKey {
  Expression expression;
  bool descending = false;
  bool operator==(const OrderKey&) const = default;
};

struct Program {
  enum Source : uint8_t { kRows = 0, kCells = 1 };

  // read.columns: the patterns of the slots, first; more patterns behind them make rows count that
  // have no cell in the slots' columns.
  ReadSpec read;
  Source source = kRows;  // one evaluation per row, or per cell
  std::vector<SlotDef> slots;
  std::vector<std::string> counter_families;  // whose values are INT64
  std::optional<Expression> where;
  std::vector<Expression> outputs;  // unused when `aggregate`

  bool aggregate = false;
  std::vector<Expression> group_by;
  std::vector<AggregateDef> aggregates;

  // Not with `aggregate`. With order keys every emitted row carries their values behind the
  // outputs, and only the first `limit` rows in that order are emitted, at the end.
  std::vector<OrderKey> order_by;
  uint64_t limit = 0;  // rows (or cells) that pass `where`; 0 = all
  int64_t now_us = 0;  // NOW(), pinned for all tablets of the statement

  std::string Encode() const;
  [[nodiscard]] static StatusOr<Program> Decode(std::string_view bytes);
  std::string Print() const;  // for EXPLAIN, one property a line
};

void EncodeReadSpec(const ReadSpec& read, std::string* out);
ReadSpec DecodeReadSpec(Reader* reader);

}  // namespace sippar::engine
