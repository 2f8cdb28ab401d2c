// SPDX-License-Identifier: Apache-2.0
#include "query/execute/insert_select_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/transaction.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using syntax::ColumnTarget;
using syntax::SelectItem;

// True if each row of the result comes from one row of a table. ORDER BY may still change the
// order.
bool FollowsTable(const syntax::Select& select) {
  if (!select.from || select.from->kind == syntax::Source::kSelect ||
      select.from->kind == syntax::Source::kUnnest || !select.unnests.empty() || select.distinct ||
      !select.group_by.empty() || select.having ||
      (select.limit && select.limit->unit == syntax::Limit::kBy)) {
    return false;
  }
  auto aggregates = [](const auto& item) { return ContainsAggregate(item.expr); };
  return std::ranges::none_of(select.items, aggregates) &&
         std::ranges::none_of(select.order_by, aggregates);
}

// Returns the SELECT with one more item: `row`, the key of the source row. An alias with the name
// `row` does not change the item, since items do not see the aliases of their own list.
syntax::Select WithSourceRow(syntax::Select select) {
  SelectItem item;
  item.expr.kind = syntax::ExprKind::kName;
  item.expr.name = "row";
  select.items.push_back(std::move(item));
  return select;
}

// True if the plan delivers its first rows while it is still reading the table.
bool Streams(const SelectPlan& plan) {
  if (plan.program.aggregate || plan.sorts) return false;
  return plan.source == SelectPlan::kTable || (plan.input != nullptr && Streams(*plan.input));
}

bool Reads(const SelectPlan& plan, const std::string& table) {
  if (plan.source == SelectPlan::kTable) return plan.table == table;
  return plan.input != nullptr && Reads(*plan.input, table);
}

// The target column that an item names by its alias or its text: row, f:q or timestamp.
std::optional<ColumnTarget> TargetOf(const SelectItem& item) {
  ColumnTarget target;
  target.span = item.span;
  const bool is_name = item.expr.kind == syntax::ExprKind::kName;
  const std::string& name = item.alias.empty() && is_name ? item.expr.name : item.alias.text;
  if (item.star) return std::nullopt;
  if (IsRowName(name)) {
    target.kind = ColumnTarget::kRow;
  } else if (SameWord(name, "timestamp")) {
    target.kind = ColumnTarget::kTimestamp;
  } else if (item.alias.empty() && item.expr.kind == syntax::ExprKind::kPattern &&
             item.expr.pattern.IsExact()) {
    target.column = item.expr.pattern;
  } else {
    return std::nullopt;
  }
  return target;
}

// The target columns if the statement has no list of columns.
StatusOr<std::vector<ColumnTarget>> TargetsOf(const syntax::Select& select) {
  std::vector<ColumnTarget> targets;
  for (const SelectItem& item : select.items) {
    std::optional<ColumnTarget> target = TargetOf(item);
    if (!target) {
      return ErrorAt("NO_COLUMN", item.span,
                     item.star ? "* does not tell INSERT which columns to write"
                               : "the item does not tell INSERT which column to write",
                     item.star ? "SELECT CELLS * copies every cell with its time"
                               : "INSERT INTO t (ROW, f:q, …) SELECT …");
    }
    targets.push_back(*std::move(target));
  }
  return targets;
}

// Checks before anything is written that the families of copied cells fit the table.
Status CheckCellFamilies(const StatementContext& context, const engine::TableSchema& schema,
                         const syntax::Select& select, const SelectPlan& plan) {
  if (plan.program.read.strip_values) {
    return ErrorAt("BAD_OPTION", select.read.span,
                   "INSERT … SELECT CELLS needs the values that STRIP VALUES leaves out");
  }
  if (plan.table == schema.name) return OkStatus();
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> source,
                   FindSchema(context, select.from->table));
  const std::vector<engine::ColumnPattern>& patterns = plan.program.read.columns;
  for (const engine::FamilySchema& family : source->families) {
    // A regex may select no cell of this family, so the cells that it selects are checked when they
    // are read.
    const bool copied = patterns.empty() || std::ranges::any_of(patterns, [&](const auto& pattern) {
                          return pattern.family.kind == engine::NamePattern::kAny ||
                                 pattern.family == engine::NamePattern::Exact(family.name);
                        });
    if (!copied) continue;
    const engine::FamilySchema* target = schema.FindFamily(family.name);
    if (target == nullptr) {
      QueryError error = QueryErrorOf(UnknownFamily(schema, family.name, select.span));
      if (error.hint.empty()) {
        error.hint = fmt::format("ALTER TABLE {} ADD FAMILY {}", schema.name, family.name);
      }
      return ToStatus(error, StatusCode::kNotFound);
    }
    const bool is_number = engine::IsInt64(family.type);
    if (is_number == engine::IsInt64(target->type)) continue;
    return CheckFits(schema, family.name, "", is_number ? ValueType::kInt64 : ValueType::kText,
                     select.span);
  }
  return OkStatus();
}

Status CheckTypes(const engine::TableSchema& schema, const syntax::Insert& insert,
                  const InsertColumns& columns, const SelectPlan& plan, size_t values) {
  if (values != columns.columns.size()) {
    return ErrorAt("ARITY", insert.select->span,
                   fmt::format("{} of INSERT, {} of the SELECT",
                               Plural(columns.columns.size(), "column"), Plural(values, "item")));
  }
  for (size_t i = 0; i < values; ++i) {
    const ValueType type = plan.columns[i].type.kind;
    if (columns.IsCell(i)) {
      const engine::ColumnPattern& column = columns.columns[i];
      RETURN_IF_ERROR(
          CheckFits(schema, column.family.text, column.qualifier.text, type, columns.spans[i]));
    } else if (i == columns.row_at) {
      const bool fits = type == ValueType::kNull || plan.columns[i].type.is_string();
      if (!fits) {
        return ErrorAt("TYPE", columns.spans[i],
                       fmt::format("a row key cannot be {}", engine::TypeName(type)),
                       "TEXT(x) writes it as text");
      }
    } else if (type != ValueType::kNull && type != ValueType::kInt64 &&
               type != ValueType::kTimestamp && type != ValueType::kDate) {
      return ErrorAt("TYPE", columns.spans[i],
                     fmt::format("TIMESTAMP cannot be {}", engine::TypeName(type)),
                     "a TIMESTAMP, or an INT64 of microseconds since 1970");
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<InsertSelectPlan> PlanInsertSelect(const StatementContext& context,
                                            const engine::TableSchema& schema,
                                            const syntax::Insert& insert) {
  const syntax::Select& select = *insert.select;
  if (select.read.with_deletes) {
    return ErrorAt("BAD_OPTION", select.read.span,
                   "INSERT … SELECT copies what a read shows, and WITH DELETES shows more",
                   "leave WITH DELETES out");
  }
  InsertSelectPlan out;
  const bool follows = FollowsTable(select);
  const bool adds_row = follows && !select.cells;  // the rows of SELECT CELLS begin with the key
  ASSIGN_OR_RETURN(out.select, PlanSelect(context, adds_row ? WithSourceRow(select) : select));
  const size_t values = out.select.columns.size() - (adds_row ? 1 : 0);
  if (follows && !out.select.sorts) out.source_row_at = adds_row ? values : 0;
  out.reads_what_it_writes = Streams(out.select) && Reads(out.select, schema.name);
  std::vector<std::string> names = ColumnNames(out.select);
  names.resize(values);
  out.cells = insert.columns.empty() &&
              names == std::vector<std::string>{"row", "column", "timestamp", "value"};
  if (out.cells) {
    if (select.cells) RETURN_IF_ERROR(CheckCellFamilies(context, schema, select, out.select));
    return out;
  }
  std::vector<ColumnTarget> targets = insert.columns;
  if (targets.empty()) {
    ASSIGN_OR_RETURN(targets, TargetsOf(select));
  }
  ASSIGN_OR_RETURN(out.columns, PlanInsertColumns(context, schema, targets, insert.table.span));
  RETURN_IF_ERROR(CheckTypes(schema, insert, out.columns, out.select, values));
  return out;
}

}  // namespace sippar::query
