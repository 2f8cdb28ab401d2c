// The columns of INSERT INTO t (ROW, f:q, TIMESTAMP) and the values that they can hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/column_pattern.h"
#include "engine/model/mutation.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// Says for each value of a tuple whether it is the row key, the time, or the value of which column.
struct InsertColumns {
  size_t row_at = 0;
  std::optional<size_t> time_at;
  std::vector<engine::ColumnPattern> columns;  // exact patterns, unused at row_at and *time_at
  std::vector<Span> spans;                     // the place of each target

  bool IsCell(size_t i) const { return i != row_at && i != time_at; }
};

// DUPLICATE if ROW or TIMESTAMP is named twice, NO_ROW without ROW, NOT_EXACT for a pattern of many
// columns. NO_ROW has `table` as its place.
[[nodiscard]] StatusOr<InsertColumns> PlanInsertColumns(
    const StatementContext& context, const engine::TableSchema& schema,
    const std::vector<syntax::ColumnTarget>& targets, const Span& table);

// TYPE if no value of this type fits into the column. An unknown type (kNull) passes.
[[nodiscard]] Status CheckFits(const engine::TableSchema& schema, std::string_view family,
                               std::string_view qualifier, ValueType type, const Span& span);
// `value` as the bytes of a cell in `family`: an INT64 of a counter becomes 8 bytes big-endian.
// TYPE if the family cannot hold the value, for example bytes that are not UTF-8 in a TEXT family.
[[nodiscard]] StatusOr<std::string> CellBytes(const engine::TableSchema& schema,
                                              std::string_view family, std::string_view qualifier,
                                              const Value& value, const Span& span);
// Adds a cell to *mutation. In an aggregate family the bytes are a state that another table has
// accumulated; it is merged with the state of this table rather than replacing it.
void PutCell(const engine::TableSchema& schema, const std::string& family,
             const std::string& qualifier, const std::string& bytes, int64_t time_us,
             engine::RowMutation* mutation);

}  // namespace sippar::query
