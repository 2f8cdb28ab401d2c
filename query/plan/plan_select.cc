// SELECT to plan: sources, items, WHERE, aggregates, order, limits, paging.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/checksum.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/plan/row_ranges.h"
#include "query/plan/select_plan.h"
#include "query/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::Function;
using engine::Program;
using engine::RowRange;
using engine::RowSet;
using syntax::Expr;
using syntax::ExprKind;
using syntax::Select;
using syntax::SelectItem;

// A copy of `select` whose shorthand is written out: SELECT CELLS p FROM t is
// SELECT row, column, timestamp, value FROM CELLS(t, p).
struct Planner {
  const StatementContext& context;
  const Select& select;
  SelectPlan plan;
  engine::TableSchema schema;
  std::unique_ptr<Scope> scope;
  RowScope* row_scope = nullptr;
  CellScope* cell_scope = nullptr;
  Aliases aliases;
  std::vector<SelectItem> items;  // `*` written out
  std::vector<engine::ColumnPattern> cell_patterns;
  bool storage_order = true;

  StatusOr<SelectPlan> Plan();
  Status PlanSource();
  Status PlanTable();
  Status PlanCellItems();
  Status ExpandStars();
  Status PlanWhere();
  Status PlanOutputs();
  Status PlanAggregates();
  Status PlanOrder();
  Status PlanLimit();
  Status PlanAfter();
  void AddPageKeys();
  void FinishRead();

  ExpressionCompiler Compiler() {
    ExpressionCompiler compiler(context, scope.get());
    compiler.SetAliases(&aliases);
    return compiler;
  }
  StatusOr<Expression> CompileItem(const SelectItem& item);
  bool IsAggregate() const;
  bool IsRowOrder(const syntax::OrderItem& order);
  const Expr& Unaliased(const Expr& expr) const;
  std::vector<SlotDef> Slots() const;
  bool Has(const Expr& expr) const { return ContainsAggregate(Unaliased(expr)); }
};

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

const Expr& Planner::Unaliased(const Expr& expr) const {
  if (expr.kind == ExprKind::kLiteral && expr.literal.type == syntax::Literal::kInt64 &&
      expr.literal.integer >= 1 && static_cast<uint64_t>(expr.literal.integer) <= items.size()) {
    return items[static_cast<size_t>(expr.literal.integer) - 1].expr;  // ORDER BY 1
  }
  if (expr.kind != ExprKind::kName) return expr;
  auto named = scope->Name(expr.name);
  if (named.ok() && named->has_value()) return expr;
  auto alias = aliases.find(expr.name);
  return alias == aliases.end() ? expr : *alias->second;
}

std::vector<SlotDef> Planner::Slots() const {
  if (row_scope != nullptr) return row_scope->slots();
  if (cell_scope != nullptr) return cell_scope->slots();
  return {};
}

// --- Sources ---

Status Planner::PlanTable() {
  const syntax::Source& from = *select.from;
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, from.table));
  schema = info.schema;
  plan.source = SelectPlan::kTable;
  plan.table = schema.name;
  Program& program = plan.program;
  program.counter_families = CounterFamilies(schema);
  program.read.versions_per_column = context.session->settings.versions;
  RETURN_IF_ERROR(PlanNamedArgs(context, from.named_args, &program.read));
  RETURN_IF_ERROR(PlanReadOptions(context, select.read, &program.read));
  if (select.cells || from.kind == syntax::Source::kCells) {
    program.source = Program::kCells;
    auto cells = std::make_unique<CellScope>();
    cell_scope = cells.get();
    scope = std::move(cells);
    for (const syntax::PatternNode& node : from.patterns) {
      ASSIGN_OR_RETURN(engine::ColumnPattern pattern, BindPattern(context, schema, node));
      cell_patterns.push_back(std::move(pattern));
    }
  } else {
    auto rows = std::make_unique<RowScope>(&context, &schema);
    row_scope = rows.get();
    scope = std::move(rows);
  }
  return OkStatus();
}

Status Planner::PlanSource() {
  items = select.items;
  if (!select.from) {
    if (select.cells) return ErrorAt("SYNTAX", select.span, "SELECT CELLS needs FROM a table");
    scope = std::make_unique<RelationScope>(std::vector<std::string>{});
    plan.source = SelectPlan::kNothing;
    return ExpandStars();
  }
  if (select.from->kind == syntax::Source::kSelect) {
    ASSIGN_OR_RETURN(SelectPlan input, PlanSelect(context, *select.from->select));
    scope = std::make_unique<RelationScope>(ColumnNames(input));
    plan.source = SelectPlan::kRelation;
    plan.input = std::make_unique<SelectPlan>(std::move(input));
    if (select.cells) return ErrorAt("SYNTAX", select.span, "SELECT CELLS needs FROM a table");
    return ExpandStars();
  }
  RETURN_IF_ERROR(PlanTable());
  if (select.cells) return PlanCellItems();
  return ExpandStars();
}

// Each item of SELECT CELLS is a pattern or *.
Status Planner::PlanCellItems() {
  if (select.from->kind == syntax::Source::kCells) {
    return ErrorAt("SYNTAX", select.from->span, "SELECT CELLS … FROM CELLS(…) says CELLS twice");
  }
  bool all = false;
  for (const SelectItem& item : select.items) {
    if (item.star) {
      all = true;
      continue;
    }
    if (item.expr.kind != ExprKind::kPattern) {
      RowScope rows(&context, &schema);  // for the better message, R14
      RETURN_IF_ERROR(ExpressionCompiler(context, &rows).Compile(item.expr).status());
      return ErrorAt("NOT_A_PATTERN", item.span, "SELECT CELLS takes column patterns or *",
                     "SELECT … FROM CELLS(t, pattern) takes expressions");
    }
    ASSIGN_OR_RETURN(engine::ColumnPattern pattern,
                     BindPattern(context, schema, item.expr.pattern));
    cell_patterns.push_back(std::move(pattern));
  }
  if (all) cell_patterns.clear();
  items.clear();
  for (const char* name : {"row", "column", "timestamp", "value"}) {
    items.push_back(NameItem(name, select.span));
  }
  return OkStatus();
}

Status Planner::ExpandStars() {
  std::vector<SelectItem> expanded;
  for (const SelectItem& item : items) {
    if (!item.star) {
      expanded.push_back(item);
      continue;
    }
    if (row_scope != nullptr) {
      expanded.push_back(NameItem("row", item.span));
      for (const engine::FamilySchema& family : schema.families) {
        SelectItem each = NameItem(family.name, item.span);
        each.expr.kind = ExprKind::kPattern;
        each.expr.pattern.family = engine::NamePattern::Exact(family.name);
        each.expr.pattern.qualifier = engine::NamePattern::Any();
        expanded.push_back(std::move(each));
      }
      continue;
    }
    std::vector<std::string> names = scope->KnownNames();
    if (names.empty()) return ErrorAt("SYNTAX", item.span, "* needs FROM a table");
    for (const std::string& name : names) expanded.push_back(NameItem(name, item.span));
  }
  items = std::move(expanded);
  return OkStatus();
}

// --- Expressions ---

// A pattern that stands alone shows its versions when more than one is read.
StatusOr<Expression> Planner::CompileItem(const SelectItem& item) {
  bool shows_history = row_scope != nullptr && plan.program.read.versions_per_column != 1 &&
                       item.expr.kind == ExprKind::kPattern;
  if (shows_history) return row_scope->Pattern(item.expr.pattern, SlotDef::kHistory);
  bool stripped = cell_scope != nullptr && plan.program.read.strip_values &&
                  item.expr.kind == ExprKind::kName && SameWord(item.expr.name, "value");
  if (stripped) return Expression::Literal(Value::Text("(stripped)"));
  // An item does not see the aliases of its own list; `SELECT x AS x` would never end.
  ExpressionCompiler compiler(context, scope.get());
  return compiler.Compile(item.expr);
}

bool Planner::IsAggregate() const {
  if (!select.group_by.empty() || select.having) return true;
  for (const SelectItem& item : items) {
    if (ContainsAggregate(item.expr)) return true;
  }
  return std::any_of(select.order_by.begin(), select.order_by.end(),
                     [](const syntax::OrderItem& order) { return ContainsAggregate(order.expr); });
}

Status Planner::PlanWhere() {
  if (!select.where) return OkStatus();
  ExpressionCompiler compiler = Compiler();
  ASSIGN_OR_RETURN(plan.program.where, compiler.Compile(*select.where));
  return OkStatus();
}

Status Planner::PlanOutputs() {
  for (const SelectItem& item : items) {
    ASSIGN_OR_RETURN(Expression output, CompileItem(item));
    plan.program.outputs.push_back(std::move(output));
  }
  return OkStatus();
}

// Values on (group keys, finished aggregates): a group expression or an aggregate becomes a slot,
// any other column is an error.
class GroupScope final : public Scope {
 public:
  StatusOr<std::optional<Expression>> Name(std::string_view) override {
    return std::optional<Expression>();
  }
  StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind) override {
    return NotGrouped(node.span, Print(node));
  }
  std::vector<std::string> KnownNames() const override { return {}; }
  static Status NotGrouped(const Span& span, std::string_view text) {
    return ErrorAt("NOT_GROUPED", span,
                   fmt::format("{} is neither in GROUP BY nor inside an aggregate", text),
                   fmt::format("add it to GROUP BY, or ANY_VALUE({})", text));
  }
};

Status Planner::PlanAggregates() {
  Program& program = plan.program;
  program.aggregate = true;
  std::vector<const Expr*> groups;
  for (const Expr& expr : select.group_by) {
    groups.push_back(&Unaliased(expr));
    ExpressionCompiler compiler = Compiler();
    ASSIGN_OR_RETURN(Expression key, compiler.Compile(*groups.back()));
    program.group_by.push_back(std::move(key));
  }
  CompileHook hook = [&](const Expr& written) -> StatusOr<std::optional<Expression>> {
    const Expr& expr = written.kind == ExprKind::kName ? Unaliased(written) : written;
    for (uint32_t i = 0; i < groups.size(); ++i) {
      if (*groups[i] == expr) return std::optional(Expression::Slot(i));
    }
    std::optional<engine::AggregateDef::Kind> kind = FindAggregate(expr);
    if (!kind) {
      if (written.kind != ExprKind::kName) return std::optional<Expression>();
      if (&expr == &written) {
        auto named = scope->Name(expr.name);
        if (named.ok() && named->has_value()) {
          return GroupScope::NotGrouped(written.span, expr.name);
        }
      }
      return std::optional<Expression>();
    }
    engine::AggregateDef def;
    def.kind = *kind;
    bool limited = *kind == engine::AggregateDef::kArrayAgg && expr.children.size() == 2;
    if (!expr.star && expr.children.size() != 1 && !limited) {
      return ErrorAt("ARITY", expr.span, fmt::format("{} takes one argument", expr.name));
    }
    if (!expr.star) {
      ExpressionCompiler compiler(context, scope.get());
      ASSIGN_OR_RETURN(def.argument, compiler.Compile(expr.children[0]));
    }
    if (limited) {
      ASSIGN_OR_RETURN(def.limit, CompileCount(context, expr.children[1], "ARRAY_AGG", 1));
    }
    auto found = std::find(program.aggregates.begin(), program.aggregates.end(), def);
    if (found == program.aggregates.end()) found = program.aggregates.insert(found, def);
    size_t index = groups.size() + static_cast<size_t>(found - program.aggregates.begin());
    return std::optional(Expression::Slot(static_cast<uint32_t>(index)));
  };
  GroupScope group_scope;
  ExpressionCompiler compiler(context, &group_scope);
  compiler.SetAliases(&aliases);
  compiler.SetHook(hook);
  for (const SelectItem& item : items) {
    ASSIGN_OR_RETURN(Expression output, compiler.Compile(item.expr));
    plan.final_outputs.push_back(std::move(output));
  }
  if (select.having) {
    ASSIGN_OR_RETURN(plan.having, compiler.Compile(*select.having));
  }
  plan.sorts = true;
  plan.sort_at = items.size();
  for (const syntax::OrderItem& order : select.order_by) {
    ASSIGN_OR_RETURN(Expression key, compiler.Compile(Unaliased(order.expr)));
    plan.final_outputs.push_back(std::move(key));
    plan.descending.push_back(order.descending);
  }
  // Ties, and results without ORDER BY: by the group keys.
  for (uint32_t i = 0; i < groups.size(); ++i) {
    plan.final_outputs.push_back(Expression::Slot(i));
    plan.descending.push_back(false);
  }
  storage_order = false;
  return OkStatus();
}

// --- Order and limits ---

bool Planner::IsRowOrder(const syntax::OrderItem& order) {
  if (plan.source != SelectPlan::kTable) return false;
  const Expr& expr = Unaliased(order.expr);
  return expr.kind == ExprKind::kName && (SameWord(expr.name, "row") || expr.name == "_key");
}

Status Planner::PlanOrder() {
  if (select.order_by.empty() || plan.program.aggregate) return OkStatus();
  if (select.order_by.size() == 1 && IsRowOrder(select.order_by[0])) {
    plan.program.read.reverse = select.order_by[0].descending;
    return OkStatus();
  }
  uint64_t memory = context.session->settings.sort_memory_bytes;
  bool small = plan.source != SelectPlan::kTable;
  bool limited = select.limit && select.limit->unit != syntax::Limit::kBy;
  if (!limited && memory == 0 && !small) {
    return ErrorAt("NEEDS_LIMIT", select.order_by[0].expr.span,
                   "ORDER BY anything but row needs LIMIT n", "add LIMIT n or SET sort_memory");
  }
  for (const syntax::OrderItem& order : select.order_by) {
    ExpressionCompiler compiler = Compiler();
    ASSIGN_OR_RETURN(Expression key, compiler.Compile(Unaliased(order.expr)));
    plan.program.order_by.push_back({std::move(key), order.descending});
    plan.descending.push_back(order.descending);
  }
  plan.sorts = true;
  storage_order = false;
  return OkStatus();
}

Status Planner::PlanLimit() {
  plan.distinct = select.distinct;
  if (!select.limit) return OkStatus();
  const syntax::Limit& limit = *select.limit;
  ASSIGN_OR_RETURN(uint64_t count, CompileCount(context, limit.count, "LIMIT"));
  if (limit.offset) {
    ASSIGN_OR_RETURN(plan.offset, CompileCount(context, *limit.offset, "OFFSET"));
  }
  if (limit.unit == syntax::Limit::kCells && cell_scope == nullptr) {
    return ErrorAt("NOT_CELLS", limit.span, "LIMIT n CELLS counts cells; this is the row view",
                   "SELECT CELLS …, or LIMIT n");
  }
  if (limit.unit != syntax::Limit::kBy) {
    plan.limit = count;
    if (plan.offset > 0 && storage_order && plan.source == SelectPlan::kTable) {
      plan.notices.push_back(
          "OFFSET reads what it skips; AFTER continues without reading it again");
    }
    return OkStatus();
  }
  if (plan.program.aggregate) {
    return ErrorAt("UNSUPPORTED", limit.span, "LIMIT n BY with GROUP BY is not there yet", {},
                   StatusCode::kUnimplemented);
  }
  plan.limit_by = count;
  ExpressionCompiler compiler = Compiler();
  ASSIGN_OR_RETURN(Expression by, compiler.Compile(Unaliased(*limit.by)));
  plan.limit_by_at = plan.program.outputs.size();
  plan.program.outputs.push_back(std::move(by));
  return OkStatus();
}

void Planner::AddPageKeys() {
  bool pages = plan.source == SelectPlan::kTable && storage_order && !plan.distinct &&
               !plan.program.aggregate && plan.limit != kNoLimit;
  if (!pages) return;
  plan.page_at = plan.program.outputs.size();
  if (row_scope != nullptr) {
    plan.paging = SelectPlan::kByRow;
    plan.program.outputs.push_back(row_scope->Slot(SlotDef::kRow));
    return;
  }
  plan.paging = SelectPlan::kByCell;
  for (SlotDef::Kind kind :
       {SlotDef::kRow, SlotDef::kFamily, SlotDef::kQualifier, SlotDef::kTimestamp}) {
    plan.program.outputs.push_back(cell_scope->Slot(kind));
  }
}

Expression Test(Function function, Expression slot, Value value) {
  std::vector<Expression> args;
  args.push_back(std::move(slot));
  args.push_back(Expression::Literal(std::move(value)));
  return Expression::Call(function, std::move(args));
}

// Cells behind the token's within its row; other rows all.
Expression BehindToken(CellScope* scope, const PageToken& token) {
  Expression row = scope->Slot(SlotDef::kRow);
  Expression family = scope->Slot(SlotDef::kFamily);
  Expression qualifier = scope->Slot(SlotDef::kQualifier);
  Expression time = scope->Slot(SlotDef::kTimestamp);
  Expression same_family = Test(Function::kEqual, family, Value::Text(token.family));
  Expression same_column = Test(Function::kEqual, qualifier, Value::Text(token.qualifier));
  return Expression::Call(
      Function::kOr,
      {Test(Function::kNotEqual, row, Value::Text(token.row)),
       Test(Function::kGreater, family, Value::Text(token.family)),
       Expression::Call(Function::kAnd, {same_family, Test(Function::kGreater, qualifier,
                                                           Value::Text(token.qualifier))}),
       Expression::Call(Function::kAnd,
                        {same_family, same_column,
                         Test(Function::kLess, time, Value::Int64(token.timestamp_us))})});
}

Status Planner::PlanAfter() {
  Select unpaged = select;
  unpaged.after.reset();
  unpaged.after_row = false;
  unpaged.limit.reset();
  plan.fingerprint = engine::Hash(Print(unpaged));
  if (!select.after) return OkStatus();
  if (plan.source != SelectPlan::kTable || !storage_order) {
    return ErrorAt("NOT_PAGED", select.after->span,
                   "AFTER continues results in storage order, from one table, without ORDER BY");
  }
  ASSIGN_OR_RETURN(Value value, CompileConstant(context, *select.after));
  if (!value.is_string()) {
    return ErrorAt("TYPE", select.after->span, "AFTER takes a row key or a page token");
  }
  bool reverse = plan.program.read.reverse;
  std::string start = value.bytes();
  bool inclusive = false;
  if (!select.after_row) {
    PageToken token;
    if (!DecodePageToken(value.bytes(), &token) || token.fingerprint != plan.fingerprint) {
      return ErrorAt("TOKEN_MISMATCH", select.after->span, "this token is of another query",
                     "AFTER ROW 'key' continues behind a row");
    }
    start = token.row;
    plan.program.now_us = token.now_us;
    inclusive = cell_scope != nullptr;
    if (cell_scope != nullptr) {
      std::vector<Expression> tests = SplitAnd(std::move(plan.program.where));
      tests.push_back(BehindToken(cell_scope, token));
      plan.program.where = JoinAnd(std::move(tests));
    }
  }
  RowRange range;
  if (reverse) {
    range.limit = inclusive ? engine::RowSuccessor(start) : start;
  } else {
    range.start = inclusive ? start : engine::RowSuccessor(start);
  }
  bool nothing = reverse && range.limit.empty();
  plan.program.read.rows = plan.program.read.rows.Intersection(nothing ? RowSet() : RowSet(range));
  return OkStatus();
}

void Planner::FinishRead() {
  Program& program = plan.program;
  program.slots = Slots();
  if (plan.source != SelectPlan::kTable) return;
  RowSet rows = ExtractRows(program.slots, &program.where);
  program.read.rows = program.read.rows.Intersection(rows);
  if (cell_scope != nullptr) {
    program.read.columns = cell_patterns;
    bool all_versions = program.read.versions_per_column == 0 && program.read.cells_per_row == 0 &&
                        program.read.cells_per_family == 0 &&
                        program.read.cells_per_row_offset == 0 &&
                        program.read.cells_per_family_offset == 0;
    if (all_versions) ExtractTime(program.slots, &program.read.time, &program.where);
    auto needs_value = [](const SlotDef& slot) { return slot.kind == SlotDef::kValue; };
    bool values = std::any_of(program.slots.begin(), program.slots.end(), needs_value);
    if (!values) program.read.strip_values = true;
  } else {
    ChooseColumns(schema, row_scope->patterns(), &plan);
  }
  // One row more tells whether there is a next page.
  bool pushes_limit = storage_order && plan.limit_by == kNoLimit && !plan.distinct &&
                      plan.limit < kNoLimit - plan.offset - 1;
  if (program.aggregate || plan.limit == kNoLimit) return;
  if (!program.order_by.empty()) {
    if (plan.limit_by == kNoLimit && !plan.distinct && plan.limit < kNoLimit - plan.offset) {
      program.limit = std::max<uint64_t>(plan.limit + plan.offset, 1);
    }
  } else if (pushes_limit) {
    program.limit = plan.limit + plan.offset + 1;
  }
}

StatusOr<SelectPlan> Planner::Plan() {
  plan.program.now_us = context.now_us;
  RETURN_IF_ERROR(PlanSource());
  for (const SelectItem& item : items) {
    if (!item.alias.empty()) aliases.emplace(item.alias.text, &item.expr);
  }
  RETURN_IF_ERROR(PlanWhere());
  if (IsAggregate()) {
    RETURN_IF_ERROR(PlanAggregates());
  } else {
    RETURN_IF_ERROR(PlanOutputs());
  }
  RETURN_IF_ERROR(PlanOrder());
  RETURN_IF_ERROR(PlanLimit());
  AddPageKeys();
  RETURN_IF_ERROR(PlanAfter());
  if (plan.sorts && !plan.program.aggregate) plan.sort_at = plan.program.outputs.size();
  FinishRead();
  const std::vector<Expression>& shown =
      plan.program.aggregate ? plan.final_outputs : plan.program.outputs;
  for (size_t i = 0; i < items.size(); ++i) {
    ResultColumn& column = plan.columns.emplace_back();
    column.name = ItemName(context, items[i]);
    if (!plan.program.aggregate) column.type = TypeOf(shown[i], plan.program.slots);
  }
  return std::move(plan);
}

}  // namespace

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

StatusOr<SelectPlan> PlanSelect(const StatementContext& context, const Select& select) {
  Planner planner{context, select, {}, {}, {}, nullptr, nullptr, {}, {}, {}, true};
  return planner.Plan();
}

}  // namespace sippar::query
