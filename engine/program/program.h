// The part of a query that runs where the data is: what to read, the filter, the outputs or partial
// aggregates, order and limit. query/ compiles statements to it, cluster/ transmits it as bytes,
// and the engine runs it (run_program.h). Plain data, encoded by program.cc.
// SPDX-License-Identifier: Apache-2.0
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
#include "engine/program/typed_families.h"

namespace sippar::engine {

// An input of the program's expressions, taken from the current row or cell.
struct SlotDef {
  enum Kind : uint8_t {
    kRow = 0,  // the row key, TEXT
    // Parts of the current cell; only with Program::kCells and kEntries. For a delete, kColumn is
    // f:q, f:* or *:*, kTimestamp is NULL unless it deletes one version, and kValue is NULL.
    kFamily = 1,
    kQualifier = 2,
    kColumn = 3,  // family:qualifier
    kTimestamp = 4,
    kValue = 5,
    // Taken from the cells of the row that match read.columns[pattern]; only with Program::kRows.
    kNewest = 10,        // value of the newest version of the first matching column
    kNewestTime = 11,    // time of that version, INT64
    kVersionCount = 12,  // number of matching cells, INT64
    kHistory = 13,       // ARRAY of STRUCT(timestamp, value), newest first
    kMap = 14,           // MAP name -> newest value; names are qualifiers, or family:qualifier when
                         // the pattern's family part is not exact
    kMapHistory = 15,    // MAP name -> ARRAY of STRUCT(timestamp, value)
    kLet = 20,           // value of the update's LET number `pattern`, once that step is done
    // More about the current entry; only with Program::kEntries.
    kOp = 21,        // TEXT, SET or DELETE
    kVisible = 22,   // BOOL: a normal read returns it
    kTimeFrom = 23,  // deletes: the first time they cover, INT64; NULL: no bound
    kTimeTo = 24,    // deletes: the time behind the last one, INT64; NULL: no bound
    kSequence = 25,  // the order of commits within a tablet, INT64
  };
  Kind kind = kRow;
  uint32_t pattern = 0;
  bool operator==(const SlotDef&) const = default;
};
inline bool IsOfEntry(SlotDef::Kind kind) { return kind >= SlotDef::kOp; }
// True for the parts of one cell, which a row does not have.
inline bool IsOfCell(SlotDef::Kind kind) {
  return (kind >= SlotDef::kFamily && kind <= SlotDef::kValue) || IsOfEntry(kind);
}
// True if the slot reads the cells of a pattern.
inline bool IsOfPattern(SlotDef::Kind kind) {
  return kind >= SlotDef::kNewest && kind <= SlotDef::kMapHistory;
}

struct OrderKey {
  Expression expression;
  bool descending = false;
  bool operator==(const OrderKey&) const = default;
};

struct Program {
  // What the expressions are evaluated on: each row, cell or stored entry (read/entry_reader.h). A
  // server that does not know kEntries refuses the program.
  enum Source : uint8_t { kRows = 0, kCells = 1, kEntries = 2 };

  // read.columns begins with the patterns of the slots. Further patterns have no slot: they make
  // the read return rows that exist but have no cell in the slots' columns.
  ReadSpec read;
  Source source = kRows;
  std::vector<SlotDef> slots;
  TypedFamilies families;
  std::optional<Expression> where;
  std::vector<Expression> outputs;  // unused if `aggregate`

  bool aggregate = false;
  std::vector<Expression> group_by;
  std::vector<AggregateDef> aggregates;

  // Not used with `aggregate`. With order keys, every emitted row has the values of the keys after
  // its outputs, and only the first `limit` rows in that order are emitted, at the end.
  std::vector<OrderKey> order_by;
  uint64_t limit = 0;  // most rows (or cells) that pass `where`; 0: no limit
  int64_t now_us = 0;  // NOW(), the same for all tablets of a statement

  ReadForm ReadsAs() const { return source == kEntries ? ReadForm::kEntries : ReadForm::kCells; }
  std::string Encode() const;
  [[nodiscard]] static StatusOr<Program> Decode(std::string_view bytes);
  std::string Print() const;  // text for EXPLAIN, one property per line
};

void EncodeReadSpec(const ReadSpec& read, std::string* out);
ReadSpec DecodeReadSpec(Reader* reader);

}  // namespace sippar::engine
