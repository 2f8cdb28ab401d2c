// Plans what a SELECT reads.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/program/evaluate.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/analyze/type_check.h"
#include "query/plan/select_planner.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::Program;

// Returns the type with which expressions see a column of an inner SELECT. It has no item types for
// maps and histories: those of `type` are for clients, and the engine's items have other types
// (data_types.h).
DataType OfOneCell(const DataType& type) { return type.parts.empty() ? type : DataType(type.kind); }

// True for a list of versions of a column.
bool IsHistory(const DataType& type) {
  return type.kind == ValueType::kArray && type.parts.size() == 1 &&
         type.parts[0].kind == ValueType::kStruct && type.parts[0].names.empty() &&
         type.parts[0].parts.size() == 2;
}

}  // namespace

Status SelectPlanner::PlanTable() {
  const syntax::Source& from = *select.from;
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> found,
                   FindSchema(context, from.table));
  schema = *found;
  plan.source = SelectPlan::kTable;
  plan.table = schema.name;
  Program& program = plan.program;
  program.families = TypedFamiliesOf(schema);
  program.read.versions_per_column = context.session->settings.versions;
  ASSIGN_OR_RETURN(TableArgs args, PlanNamedArgs(context, from.named_args, &program.read));
  RETURN_IF_ERROR(PlanReadOptions(context, select.read, args, &program.read));
  // Several versions of a column do not fit into one value, so the item shows a list of them.
  with_history = args.with_history || program.read.versions_per_column != 1;
  if (select.cells || from.kind == syntax::Source::kCells) {
    program.source = Program::kCells;
    auto cells = std::make_unique<CellScope>(&schema, &cell_patterns, select.read.with_deletes);
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
  return select.read.with_deletes ? PlanDeletes(args) : OkStatus();
}

Status SelectPlanner::PlanRelation() {
  ASSIGN_OR_RETURN(SelectPlan input, PlanSelect(context, *select.from->select));
  std::vector<std::string> names = ColumnNames(input);
  for (const ResultColumn& column : input.columns) input_types.push_back(column.type);
  if (select.from->kind == syntax::Source::kUnpack) {
    for (size_t i = 0; i < input_types.size(); ++i) {
      if (!IsHistory(input_types[i])) continue;
      plan.unpacked.push_back(i);
      // The new type is copied first: the assignment destroys the old type, which contains it.
      DataType value = input_types[i].parts[0].parts[1];
      input_types[i] = std::move(value);
    }
    if (plan.unpacked.empty()) {
      return ErrorAt("TYPE", select.from->span, "UNPACK needs a column that lists versions",
                     "UNPACK(SELECT f['q'] AS q FROM t(with_history => TRUE))");
    }
    names.emplace_back("_timestamp");
    input_types.emplace_back(ValueType::kTimestamp);
  }
  std::vector<DataType> types;
  for (const DataType& type : input_types) types.push_back(OfOneCell(type));
  scope = std::make_unique<RelationScope>(kInnerSelect, std::move(names), std::move(types));
  plan.source = SelectPlan::kRelation;
  plan.input = std::make_unique<SelectPlan>(std::move(input));
  return OkStatus();
}

Status SelectPlanner::PlanUnnest() {
  const syntax::Source& from = *select.from;
  ConstantScope constants;
  ASSIGN_OR_RETURN(Expression list, ExpressionCompiler(context, &constants).Compile(from.list));
  const DataType type = TypeIn(constants, list);
  auto value = engine::EvaluateConstant(list, &context.stop);
  if (!value.ok()) return WithQueryCode(value.status(), from.list.span);
  if (value->type() != ValueType::kArray && !value->is_null()) {
    return ErrorAt("TYPE", from.list.span,
                   fmt::format("UNNEST takes an ARRAY, not {}", engine::TypeName(value->type())));
  }
  std::vector<std::string> names = {from.item.empty() ? "value" : from.item.text};
  input_types.push_back(type.parts.empty() ? DataType() : type.parts[0]);
  if (!from.offset.empty()) {
    names.push_back(from.offset.text);
    input_types.emplace_back(ValueType::kInt64);
  }
  for (const Value& item : value->items()) {
    engine::Row row = {item};
    if (!from.offset.empty()) row.push_back(Value::Int64(static_cast<int64_t>(plan.values.size())));
    plan.values.push_back(std::move(row));
  }
  scope = std::make_unique<RelationScope>("UNNEST", std::move(names), input_types);
  plan.source = SelectPlan::kValues;
  return OkStatus();
}

Status SelectPlanner::PlanSource() {
  items = select.items;
  if (!select.from) {
    if (select.cells) return ErrorAt("SYNTAX", select.span, "SELECT CELLS needs FROM a table");
    scope = std::make_unique<RelationScope>("", std::vector<std::string>{});
    plan.source = SelectPlan::kNothing;
    return ExpandStars();
  }
  if (!select.unnests.empty()) {
    RETURN_IF_ERROR(PlanUnnests());
    return ExpandStars();
  }
  const syntax::Source::Kind kind = select.from->kind;
  if (kind != syntax::Source::kTable && kind != syntax::Source::kCells) {
    RETURN_IF_ERROR(kind == syntax::Source::kUnnest ? PlanUnnest() : PlanRelation());
    if (select.read.with_deletes) return PlanDeletes({});
    if (select.cells) return ErrorAt("SYNTAX", select.span, "SELECT CELLS needs FROM a table");
    return ExpandStars();
  }
  RETURN_IF_ERROR(PlanTable());
  if (select.cells) return PlanCellItems();
  return ExpandStars();
}

}  // namespace sippar::query
