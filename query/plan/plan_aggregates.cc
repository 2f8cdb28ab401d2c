// Plans GROUP BY, HAVING and the aggregates of a SELECT.
// SPDX-License-Identifier: Apache-2.0
#include "query/plan/select_planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/callable_names.h"
#include "query/analyze/type_check.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::AggregateDef;
using engine::Program;
using syntax::Expr;
using syntax::ExprKind;
using syntax::SelectItem;

// The scope of expressions on a group: its slots are the group keys, then the finished aggregates.
// Any other column has no single value in a group and is an error.
class GroupScope final : public Scope {
 public:
  GroupScope(const Program* program, const Scope* rows) : program_(program), rows_(rows) {}

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
  DataType SlotType(uint32_t slot) const override {
    if (slot < program_->group_by.size()) return TypeIn(*rows_, program_->group_by[slot]);
    const AggregateDef& def = program_->aggregates[slot - program_->group_by.size()];
    return TypeOf(def, [this](uint32_t of_row) { return rows_->SlotType(of_row); });
  }

 private:
  const Program* program_;
  const Scope* rows_;
};

// True if a repeated value changes the aggregate, so that DISTINCT has an effect on it.
bool CountsRepeats(AggregateDef::Kind kind) {
  switch (kind) {
    case AggregateDef::kSum:
    case AggregateDef::kAvg:
    case AggregateDef::kArrayAgg:
    case AggregateDef::kApproxQuantiles:
    case AggregateDef::kStringAgg:
      return true;
    // COUNT(DISTINCT x) is a kind of aggregate of its own, not kCount with DISTINCT.
    default:
      return false;
  }
}

Status CheckAggregateCall(AggregateDef::Kind kind, const Expr& expr) {
  if (kind == AggregateDef::kCountRows) return OkStatus();
  const CallInfo& call = *FindCall(expr.name);
  if (expr.distinct && kind == AggregateDef::kApproxTop) {
    return ErrorAt(
        "ARITY", expr.span,
        fmt::format("{} counts how often each value occurs and takes no DISTINCT", expr.name));
  }
  const auto count = static_cast<int>(expr.children.size());
  if (!expr.star && count >= call.arguments_min && count <= call.arguments_max) return OkStatus();
  std::string wanted = call.arguments_max == 1 ? "one" : fmt::format("{}", call.arguments_min);
  if (call.arguments_max != call.arguments_min) {
    wanted += fmt::format(" to {}", call.arguments_max);
  }
  return ErrorAt(
      "ARITY", expr.span,
      fmt::format("{} takes {} argument{}, not {}", expr.name, wanted,
                  call.arguments_max == 1 ? "" : "s", expr.star ? "*" : fmt::format("{}", count)));
}

// Plans the second argument: the number of items, parts or values, or the separator between texts.
Status PlanParameter(const StatementContext& context, const Expr& expr, AggregateDef* def) {
  if (def->kind == AggregateDef::kStringAgg) def->separator = ",";
  if (expr.children.size() < 2) return OkStatus();
  const Expr& parameter = expr.children[1];
  if (def->kind == AggregateDef::kStringAgg) {
    ASSIGN_OR_RETURN(Value separator, CompileConstant(context, parameter));
    if (!separator.is_string()) {
      return ErrorAt(
          "TYPE", parameter.span,
          fmt::format("STRING_AGG: what stands between the texts is TEXT or BYTES, not {}",
                      engine::TypeName(separator.type())));
    }
    def->separator = separator.TakeBytes();
    return OkStatus();
  }
  ASSIGN_OR_RETURN(def->limit, CompileCount(context, parameter, expr.name, 1));
  if (def->kind == AggregateDef::kArrayAgg || def->limit <= engine::kApproxItemsMax) {
    return OkStatus();
  }
  return ErrorAt("RANGE", parameter.span,
                 fmt::format("{}: the number is {}; the limit is {}", expr.name, def->limit,
                             engine::kApproxItemsMax));
}

}  // namespace

// The slot of `written` in a group: the slot of the equal GROUP BY expression, or of the aggregate
// that `written` calls. nullopt: `written` is neither, so the compiler continues with its parts.
StatusOr<std::optional<Expression>> SelectPlanner::GroupSlot(const std::vector<const Expr*>& groups,
                                                             const Expr& written) {
  const Expr& expr = written.kind == ExprKind::kName ? Unaliased(written) : written;
  for (uint32_t i = 0; i < groups.size(); ++i) {
    if (*groups[i] == expr) return std::optional(Expression::Slot(i));
  }
  const std::optional<AggregateDef::Kind> kind = FindAggregate(expr);
  if (kind) {
    ASSIGN_OR_RETURN(AggregateDef def, PlanAggregate(*kind, expr));
    // Equal aggregates share a slot, so the tablets compute each once.
    std::vector<AggregateDef>& all = plan.program.aggregates;
    auto found = std::find(all.begin(), all.end(), def);
    if (found == all.end()) found = all.insert(found, def);
    const size_t index = groups.size() + static_cast<size_t>(found - all.begin());
    return std::optional(Expression::Slot(static_cast<uint32_t>(index)));
  }
  // A column of the table that is not a group key gets an error that says so. Without this test it
  // would be reported as an unknown name.
  if (written.kind == ExprKind::kName && &expr == &written) {
    auto named = scope->Name(expr.name);
    if (named.ok() && named->has_value()) return GroupScope::NotGrouped(written.span, expr.name);
  }
  return std::optional<Expression>();
}

StatusOr<AggregateDef> SelectPlanner::PlanAggregate(AggregateDef::Kind kind, const Expr& expr) {
  RETURN_IF_ERROR(CheckAggregateCall(kind, expr));
  AggregateDef def;
  def.kind = kind;
  if (!expr.star) {
    ExpressionCompiler compiler(context, scope.get());
    ASSIGN_OR_RETURN(def.argument, compiler.Compile(expr.children[0]));
    RETURN_IF_ERROR(CheckAggregate(*scope, def, expr.span));
  }
  def.distinct = expr.distinct && CountsRepeats(kind);
  RETURN_IF_ERROR(PlanParameter(context, expr, &def));
  return def;
}

Status SelectPlanner::PlanAggregates() {
  Program& program = plan.program;
  program.aggregate = true;
  std::vector<const Expr*> groups;
  for (const Expr& expr : select.group_by) {
    groups.push_back(&Unaliased(expr));
    ExpressionCompiler compiler = Compiler();
    ASSIGN_OR_RETURN(Expression key, compiler.Compile(*groups.back()));
    program.group_by.push_back(std::move(key));
  }
  // The compiler calls the hook for every node, so a group key or an aggregate is found at any
  // depth of an expression.
  CompileHook hook = [&](const Expr& written) { return GroupSlot(groups, written); };
  GroupScope group_scope(&program, scope.get());
  ExpressionCompiler compiler(context, &group_scope);
  compiler.SetAliases(&aliases);
  compiler.SetHook(hook);
  for (const SelectItem& item : items) {
    ASSIGN_OR_RETURN(Expression output, compiler.Compile(item.expr));
    plan.final_outputs.push_back(std::move(output));
  }
  if (select.having) {
    ASSIGN_OR_RETURN(plan.having, compiler.CompileTest(*select.having));
  }
  plan.sorts = true;
  plan.sort_at = items.size();
  for (const syntax::OrderItem& order : select.order_by) {
    ASSIGN_OR_RETURN(Expression key, compiler.Compile(Unaliased(order.expr)));
    plan.final_outputs.push_back(std::move(key));
    plan.descending.push_back(order.descending);
  }
  // The group keys are the last order keys: groups arrive in no fixed order, and the result must be
  // the same at every run.
  for (uint32_t i = 0; i < groups.size(); ++i) {
    plan.final_outputs.push_back(Expression::Slot(i));
    plan.descending.push_back(false);
  }
  if (select.limit && select.limit->by) {
    plan.limit_by_at = plan.final_outputs.size();
    ASSIGN_OR_RETURN(Expression by, compiler.Compile(Unaliased(*select.limit->by)));
    plan.final_outputs.push_back(std::move(by));
  }
  storage_order = false;
  return OkStatus();
}

}  // namespace sippar::query
