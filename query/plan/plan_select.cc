// Plans the items and WHERE of a SELECT.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/plan/select_planner.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using syntax::Expr;
using syntax::ExprKind;
using syntax::Select;
using syntax::SelectItem;

Expr NameExpr(std::string_view name, const Span& span) {
  Expr expr;
  expr.kind = ExprKind::kName;
  expr.name = name;
  expr.span = span;
  return expr;
}

SelectItem NameItem(std::string_view name, const Span& span) {
  SelectItem item;
  item.expr = NameExpr(name, span);
  item.alias.text = name;
  item.span = span;
  return item;
}

}  // namespace

const Expr& SelectPlanner::Unaliased(const Expr& expr) const {
  if (expr.kind == ExprKind::kLiteral && expr.literal.type == syntax::Literal::kInt64 &&
      expr.literal.integer >= 1 && static_cast<uint64_t>(expr.literal.integer) <= items.size()) {
    // ORDER BY 1 means the first item.
    return items[static_cast<size_t>(expr.literal.integer) - 1].expr;
  }
  if (expr.kind != ExprKind::kName) return expr;
  auto alias = aliases.find(expr.name);
  return alias == aliases.end() ? expr : *alias->second;
}

std::vector<SlotDef> SelectPlanner::Slots() const {
  if (row_scope != nullptr) return row_scope->slots();
  if (cell_scope != nullptr) return cell_scope->slots();
  return {};
}

// Turns the items of SELECT CELLS, each a pattern or *, into the patterns to read.
Status SelectPlanner::PlanCellItems() {
  if (select.from->kind == syntax::Source::kCells) {
    return ErrorAt("SYNTAX", select.from->span,
                   "SELECT CELLS … FROM CELLS(…) says CELLS twice; leave one out");
  }
  bool all = false;
  for (const SelectItem& item : select.items) {
    if (item.star) {
      all = true;
      continue;
    }
    if (item.expr.kind != ExprKind::kPattern) {
      // The item is compiled only for its errors: that a name is unknown helps the user more than
      // NOT_A_PATTERN does.
      RowScope rows(&context, &schema);
      RETURN_IF_ERROR(ExpressionCompiler(context, &rows).Compile(item.expr).status());
      return ErrorAt("NOT_A_PATTERN", item.span, "SELECT CELLS takes column patterns or *",
                     "SELECT … FROM CELLS(t, pattern) takes expressions");
    }
    ASSIGN_OR_RETURN(engine::ColumnPattern pattern,
                     BindPattern(context, schema, item.expr.pattern));
    cell_patterns.push_back(std::move(pattern));
  }
  // An item `*` includes the columns of all other items. An empty list means every column.
  if (all) cell_patterns.clear();
  items.clear();
  // After this point the statement is planned as SELECT row, column, timestamp, value FROM
  // CELLS(…), WITH DELETES with more columns.
  std::vector<const char*> names = {"row", "column", "timestamp", "value"};
  if (select.read.with_deletes) {
    names = {"row", "op", "column", "timestamp", "value", "visible", "time_from", "time_to"};
  }
  for (const char* name : names) items.push_back(NameItem(name, select.span));
  return OkStatus();
}

Status SelectPlanner::ExpandStars() {
  std::vector<SelectItem> expanded;
  for (const SelectItem& item : items) {
    if (!item.star) {
      expanded.push_back(item);
      continue;
    }
    ASSIGN_OR_RETURN(std::vector<SelectItem> all, ItemsOfStar(item.span));
    for (SelectItem& each : all) expanded.push_back(std::move(each));
  }
  items = std::move(expanded);
  return OkStatus();
}

StatusOr<std::vector<SelectItem>> SelectPlanner::ItemsOfStar(const Span& span) const {
  std::vector<SelectItem> all;
  if (source != nullptr) {
    ASSIGN_OR_RETURN(all, source->ItemsOfStar(span));
    for (const std::string& name : unnest_scope->names()) all.push_back(NameItem(name, span));
    return all;
  }
  if (row_scope == nullptr) {
    std::vector<std::string> names = scope->KnownNames();
    if (names.empty()) return ErrorAt("SYNTAX", span, "* needs FROM a table");
    for (const std::string& name : names) all.push_back(NameItem(name, span));
    return all;
  }
  all.push_back(NameItem(context.session->key_column, span));
  for (const engine::FamilySchema& family : schema.families) {
    SelectItem each = NameItem(family.name, span);
    each.expr.kind = ExprKind::kPattern;
    each.expr.pattern.family = engine::NamePattern::Exact(family.name);
    each.expr.pattern.qualifier = engine::NamePattern::Any();
    all.push_back(std::move(each));
  }
  return all;
}

// --- Expressions ---

// The columns that `expr` stands for if it is a pattern, a family or family['qualifier']; nullopt
// for any other expression.
std::optional<syntax::PatternNode> SelectPlanner::AsPattern(const Expr& expr) const {
  if (expr.kind == ExprKind::kPattern) return expr.pattern;
  bool indexed = expr.kind == ExprKind::kIndex;
  const Expr& family = indexed ? expr.children[0] : expr;
  if (family.kind != ExprKind::kName || schema.FindFamily(family.name) == nullptr) {
    return std::nullopt;
  }
  syntax::PatternNode pattern;
  pattern.family = engine::NamePattern::Exact(family.name);
  pattern.qualifier = engine::NamePattern::Any();
  pattern.span = expr.span;
  // A family may be called `row`; the name alone means the key (RowScope::Name).
  if (!indexed) return IsRowName(family.name) ? std::nullopt : std::optional(pattern);
  auto qualifier = CompileConstant(context, expr.children[1]);
  if (!qualifier.ok() || !qualifier->is_string()) return std::nullopt;
  pattern.qualifier = engine::NamePattern::Exact(qualifier->bytes());
  return pattern;
}

// What stands for a value that is not read. A delete has no value.
Expression SelectPlanner::StrippedValue() {
  Expression text = Expression::Literal(Value::Text("(stripped)"));
  if (plan.program.source != engine::Program::kEntries) return text;
  Expression is_set =
      Expression::Call(engine::Function::kEqual,
                       {cell_scope->Slot(SlotDef::kOp), Expression::Literal(Value::Text("SET"))});
  return Expression::Call(engine::Function::kIf,
                          {std::move(is_set), std::move(text), Expression::Literal(Value::Null())});
}

StatusOr<std::optional<Expression>> SelectPlanner::ShownValue(const Expr& expr) {
  if (source != nullptr) {
    ASSIGN_OR_RETURN(std::optional<Expression> shown, source->ShownValue(expr));
    if (shown) shown = unnest_scope->FromSource(*std::move(shown));
    return shown;
  }
  if (row_scope != nullptr && with_history) {
    std::optional<syntax::PatternNode> pattern = AsPattern(expr);
    if (!pattern) return std::optional<Expression>();
    ASSIGN_OR_RETURN(Expression history, row_scope->Pattern(*pattern, SlotDef::kHistory));
    return std::optional(std::move(history));
  }
  const bool is_value =
      cell_scope != nullptr && expr.kind == ExprKind::kName && SameWord(expr.name, "value");
  if (!is_value) return std::optional<Expression>();
  // The tablets send "" instead of the value, which would look like an empty cell.
  if (plan.program.read.strip_values) return std::optional(StrippedValue());
  // A value that is only shown keeps the type of its cell. In an expression all values have one
  // type.
  return std::optional(cell_scope->Slot(SlotDef::kValue));
}

StatusOr<Expression> SelectPlanner::CompileItem(const Expr& expr) {
  ASSIGN_OR_RETURN(std::optional<Expression> shown, ShownValue(expr));
  if (shown) return *std::move(shown);
  // Compiled without aliases: an item does not see the aliases of its own list, or `SELECT x AS x`
  // would never end.
  ExpressionCompiler compiler(context, scope.get());
  return compiler.Compile(expr);
}

bool SelectPlanner::IsAggregate() const {
  if (!select.group_by.empty() || select.having) return true;
  for (const SelectItem& item : items) {
    if (ContainsAggregate(item.expr)) return true;
  }
  return std::any_of(select.order_by.begin(), select.order_by.end(),
                     [](const syntax::OrderItem& order) { return ContainsAggregate(order.expr); });
}

Status SelectPlanner::PlanWhere() {
  if (!select.where) return OkStatus();
  ExpressionCompiler compiler = Compiler();
  ASSIGN_OR_RETURN(plan.program.where, compiler.CompileTest(*select.where));
  return OkStatus();
}

Status SelectPlanner::PlanOutputs() {
  for (const SelectItem& item : items) {
    ASSIGN_OR_RETURN(Expression output, CompileItem(item.expr));
    plan.program.outputs.push_back(std::move(output));
  }
  return OkStatus();
}

StatusOr<SelectPlan> SelectPlanner::Plan() {
  plan.program.now_us = context.now_us;
  RETURN_IF_ERROR(PlanSource());
  // Aliases are collected after PlanSource, because it replaces `items`, to which the aliases
  // point.
  for (const SelectItem& item : items) {
    if (!item.alias.empty()) aliases.emplace(item.alias.text, &item.expr);
  }
  RETURN_IF_ERROR(PlanWhere());
  RETURN_IF_ERROR(PlanSample());
  if (IsAggregate()) {
    RETURN_IF_ERROR(PlanAggregates());
  } else {
    RETURN_IF_ERROR(PlanOutputs());
  }
  RETURN_IF_ERROR(PlanOrder());
  RETURN_IF_ERROR(PlanLimit());
  // Hidden values follow the shown ones in the order that select_plan.h defines: PlanLimit appends
  // the value of LIMIT BY, AddPageKeys the page key, and the order keys come last.
  AddPageKeys();
  RETURN_IF_ERROR(PlanAfter());
  if (plan.sorts && !plan.program.aggregate) plan.sort_at = plan.program.outputs.size();
  RETURN_IF_ERROR(FinishRead());
  NameColumns();
  return std::move(plan);
}

void SelectPlanner::NameColumns() {
  const std::vector<Expression>& shown =
      plan.program.aggregate ? plan.final_outputs : plan.program.outputs;
  std::vector<DataType> slots = OutputTypes();
  for (size_t i = 0; i < items.size(); ++i) {
    plan.columns.push_back({ItemName(context, items[i]), TypeOf(shown[i], slots)});
  }
}

std::vector<DataType> SelectPlanner::SlotTypes() const {
  if (plan.source != SelectPlan::kTable) return input_types;
  return TypesOfSlots(Slots(), row_scope != nullptr ? row_scope->patterns() : cell_patterns,
                      schema);
}

std::vector<DataType> SelectPlanner::OutputTypes() const {
  std::vector<DataType> slots = SlotTypes();
  if (!plan.program.aggregate) return slots;
  std::vector<DataType> groups;
  for (const Expression& key : plan.program.group_by) groups.push_back(TypeOf(key, slots));
  for (const engine::AggregateDef& aggregate : plan.program.aggregates) {
    groups.push_back(TypeOf(aggregate, slots));
  }
  return groups;
}

std::string ItemName(const StatementContext& context, const SelectItem& item) {
  if (!item.alias.empty()) return item.alias.text;
  const Span& span = item.expr.span;
  if (span.line > 0 && span.begin < span.end && span.end <= context.text.size()) {
    return std::string(context.text.substr(span.begin, span.end - span.begin));
  }
  return Print(item.expr);
}

std::vector<std::string> ColumnNames(const SelectPlan& plan) {
  std::vector<std::string> names;
  for (const ResultColumn& column : plan.columns) names.push_back(column.name);
  return names;
}

std::unique_ptr<SelectPlanner> NewPlanner(const StatementContext& context, const Select& select) {
  return std::unique_ptr<SelectPlanner>(new SelectPlanner{
      context, select, {}, {}, {}, nullptr, nullptr, {}, {}, {}, {}, true, false});
}

StatusOr<SelectPlan> PlanSelect(const StatementContext& context, const Select& select) {
  return NewPlanner(context, select)->Plan();
}

}  // namespace sippar::query
