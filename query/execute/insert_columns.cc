// SPDX-License-Identifier: Apache-2.0
#include "query/execute/insert_columns.h"

#include <fmt/format.h>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

// The hint for a value that a column of a family cannot hold.
std::string WhatFits(engine::FamilyType family, ValueType value) {
  if (engine::IsAggregate(family)) {
    return fmt::format(
        "its family is of type {}, and only IMPORT, INSERT … SELECT and clients of the Bigtable "
        "API add to its cells",
        engine::FamilyTypeName(family));
  }
  if (engine::IsInt64(family)) return "its family is a COUNTER and takes an INT64";
  if (value == ValueType::kMap || value == ValueType::kArray) {
    return "a column holds one value; SELECT CELLS copies many columns and versions";
  }
  const bool is_number = value == ValueType::kInt64 || value == ValueType::kFloat64;
  if (family == engine::FamilyType::kText) {
    return "its family is of type TEXT; TEXT(x) writes it as text";
  }
  return is_number ? "TEXT(x) writes digits, BYTES(x) 8 bytes" : "TEXT(x) writes it as text";
}

engine::FamilyType TypeOfFamily(const engine::TableSchema& schema, std::string_view family) {
  const engine::FamilySchema* found = schema.FindFamily(family);
  return found == nullptr ? engine::FamilyType::kBytes : found->type;
}

Status CannotHold(engine::FamilyType family_type, std::string_view family,
                  std::string_view qualifier, ValueType type, const Span& span) {
  return ErrorAt("TYPE", span,
                 fmt::format("{}:{} cannot be set to {}", family, engine::PrintEscaped(qualifier),
                             engine::TypeName(type)),
                 WhatFits(family_type, type));
}

}  // namespace

StatusOr<InsertColumns> PlanInsertColumns(const StatementContext& context,
                                          const engine::TableSchema& schema,
                                          const std::vector<syntax::ColumnTarget>& targets,
                                          const Span& table) {
  InsertColumns out;
  std::optional<size_t> row_at;
  for (size_t i = 0; i < targets.size(); ++i) {
    const syntax::ColumnTarget& target = targets[i];
    out.spans.push_back(target.span);
    engine::ColumnPattern& column = out.columns.emplace_back();
    if (target.kind != syntax::ColumnTarget::kColumn) {
      const bool is_row = target.kind == syntax::ColumnTarget::kRow;
      std::optional<size_t>& at = is_row ? row_at : out.time_at;
      if (at) {
        return ErrorAt("DUPLICATE", target.span,
                       fmt::format("INSERT names {} twice", is_row ? "ROW" : "TIMESTAMP"));
      }
      at = i;
      continue;
    }
    ASSIGN_OR_RETURN(column, BindPattern(context, schema, target.column));
    if (!column.IsExact()) {
      return ErrorAt("NOT_EXACT", target.span, "a column of INSERT must name exactly one column",
                     "SELECT CELLS copies many columns and versions");
    }
  }
  if (!row_at) {
    return ErrorAt("NO_ROW", table, "ROW is missing from the columns of INSERT",
                   "INSERT INTO t (ROW, f:q) VALUES ('key', 'value')");
  }
  out.row_at = *row_at;
  return out;
}

Status CheckFits(const engine::TableSchema& schema, std::string_view family,
                 std::string_view qualifier, ValueType type, const Span& span) {
  const engine::FamilyType family_type = TypeOfFamily(schema, family);
  const bool counter = engine::IsInt64(family_type);
  const bool fits = type == ValueType::kNull || type == ValueType::kBytes ||
                    (counter ? type == ValueType::kInt64 : type == ValueType::kText);
  return fits ? OkStatus() : CannotHold(family_type, family, qualifier, type, span);
}

// INSERT and IMPORT know the value, so it is encoded here. An UPDATE sends an expression, and the
// tablet encodes its value by the same rule.
StatusOr<std::string> CellBytes(const engine::TableSchema& schema, std::string_view family,
                                std::string_view qualifier, const Value& value, const Span& span) {
  const engine::FamilyType type = TypeOfFamily(schema, family);
  const bool counter = engine::IsInt64(type);
  if (type == engine::FamilyType::kText && value.is_string()) {
    Status valid = engine::CheckText(family, qualifier, value.bytes());
    if (!valid.ok()) return WithQueryCode(valid, span);
  }
  if (counter && value.type() == ValueType::kInt64) return engine::EncodeInt64(value.integer());
  // 8 BYTES are accepted for a counter, so that what `EXPORT` wrote can be read again.
  bool raw = value.type() == ValueType::kBytes && value.bytes().size() == 8;
  if (value.is_string() && (!counter || raw)) return value.bytes();
  return CannotHold(type, family, qualifier, value.type(), span);
}

void PutCell(const engine::TableSchema& schema, const std::string& family,
             const std::string& qualifier, const std::string& bytes, int64_t time_us,
             engine::RowMutation* mutation) {
  const engine::FamilySchema* found = schema.FindFamily(family);
  if (found != nullptr && engine::IsAggregate(found->type)) {
    mutation->Merge(family, qualifier, bytes, time_us);
  } else {
    mutation->Set(family, qualifier, bytes, time_us);
  }
}

}  // namespace sippar::query
