// Plans FROM …, UNNEST(list): what the source reads beside the data, and the lines made of its rows
// in this process.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "query/analyze/type_check.h"
#include "query/plan/row_ranges.h"
#include "query/plan/select_planner.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::Function;
using engine::Program;

// Limit of the UNNESTs in one FROM: the lines of a row are made by recursion, one level for each.
constexpr size_t kUnnestsMax = 16;

DataType ItemOf(const DataType& list) {
  return list.kind == ValueType::kArray && !list.parts.empty() ? list.parts[0] : DataType();
}

// True if `list` is not constant and names no column of an UNNEST.
bool IsOfSource(const Expression& list, uint32_t columns) {
  return AnySlot(list, [](uint32_t) { return true; }) &&
         !AnySlot(list, [&](uint32_t slot) { return slot < columns; });
}

// True if no value of a row makes the list an error, but for a text of more parts than a list
// holds.
bool CannotFail(const Expression& list) {
  const bool is_safe = list.kind != Expression::kCall || list.function == Function::kSplit ||
                       list.function == Function::kMapKeys ||
                       list.function == Function::kMapValues ||
                       list.function == Function::kMapEntries;
  return is_safe && std::all_of(list.args.begin(), list.args.end(), CannotFail);
}

// True if the source computes the list of the UNNEST at `index`. A list that may be an error is
// computed here, after those before it: its error must not end the statement for a row to which
// they give no line.
bool IsMoved(const std::vector<UnnestPlan>& unnests, size_t index, uint32_t columns) {
  const Expression& list = unnests[index].list;
  return IsOfSource(list, columns) && (index == 0 || CannotFail(list));
}

// The expressions of a program that are evaluated on its input.
std::vector<Expression*> ExpressionsOf(Program* program) {
  std::vector<Expression*> all;
  if (program->where) all.push_back(&*program->where);
  for (Expression& output : program->outputs) all.push_back(&output);
  for (Expression& key : program->group_by) all.push_back(&key);
  for (engine::AggregateDef& aggregate : program->aggregates) all.push_back(&aggregate.argument);
  for (engine::OrderKey& key : program->order_by) all.push_back(&key.expression);
  return all;
}

}  // namespace

Status SelectPlanner::PlanUnnests() {
  const std::vector<syntax::Source>& unnests = select.unnests;
  if (select.cells) {
    return ErrorAt("SYNTAX", unnests[0].span, "SELECT CELLS takes no UNNEST",
                   "SELECT … FROM CELLS(t, pattern), UNNEST(list) AS x");
  }
  if (unnests.size() > kUnnestsMax) {
    return ErrorAt("TOO_LARGE", unnests[kUnnestsMax].span,
                   fmt::format("FROM has {} UNNESTs; the limit is {}", unnests.size(), kUnnestsMax),
                   "UNNEST in the SELECT of FROM (SELECT …)");
  }
  source_select = std::make_unique<syntax::Select>();
  source_select->from = select.from;
  source_select->read = select.read;
  source_select->span = select.span;
  source = NewPlanner(context, *source_select);
  source->plan.program.now_us = context.now_us;
  RETURN_IF_ERROR(source->PlanSource());
  size_t columns = 0;
  for (const syntax::Source& from : unnests) columns += from.offset.empty() ? 1 : 2;
  auto lines = std::make_unique<UnnestScope>(source->scope.get(), static_cast<uint32_t>(columns));
  unnest_scope = lines.get();
  scope = std::move(lines);
  plan.source = SelectPlan::kRelation;
  plan.unnest_columns = columns;
  for (const syntax::Source& from : unnests) RETURN_IF_ERROR(AddUnnest(from));
  return OkStatus();
}

Status SelectPlanner::AddUnnest(const syntax::Source& from) {
  UnnestPlan unnest;
  unnest.span = from.list.span;
  unnest.keeps_row = from.keeps_row;
  // As an item, a column alone is the list of its versions under with_history.
  ASSIGN_OR_RETURN(unnest.list, CompileItem(from.list));
  const DataType type = TypeIn(*scope, unnest.list);
  if (type.kind != ValueType::kArray && type.kind != ValueType::kNull) {
    return ErrorAt("TYPE", from.list.span,
                   fmt::format("UNNEST takes an ARRAY, not {}", engine::TypeName(type.kind)),
                   type.kind == ValueType::kMap
                       ? "UNNEST(MAP_ENTRIES(map)) AS e, then e.key, e.value"
                       : "UNNEST(SPLIT(text, ',')) AS part");
  }
  const std::vector<DataType> of_source = source->SlotTypes();
  const DataType of_client = TypeOf(unnest.list, [&](uint32_t slot) {
    if (slot < plan.unnest_columns) return input_types[slot];
    return of_source[slot - plan.unnest_columns];
  });
  unnest.item_at = input_types.size();
  // As FROM UNNEST(constant) does, an item without a name is called value.
  const syntax::Identifier item =
      from.item.empty() ? syntax::Identifier{"value", from.span} : from.item;
  RETURN_IF_ERROR(AddUnnestColumn(item, ItemOf(type), ItemOf(of_client)));
  if (!from.offset.empty()) {
    unnest.offset_at = input_types.size();
    RETURN_IF_ERROR(AddUnnestColumn(from.offset, ValueType::kInt64, ValueType::kInt64));
  }
  plan.unnests.push_back(std::move(unnest));
  return OkStatus();
}

// `in_scope` is the type that expressions see, `of_client` the one that clients see.
Status SelectPlanner::AddUnnestColumn(const syntax::Identifier& name, DataType in_scope,
                                      DataType of_client) {
  const std::vector<std::string> known = scope->KnownNames();
  const bool is_known = std::any_of(known.begin(), known.end(), [&](const std::string& each) {
    return SameWord(each, name.text);
  });
  if (is_known || (source->plan.source == SelectPlan::kTable && IsRowName(name.text))) {
    return ErrorAt("DUPLICATE", name.span, fmt::format("name {}: FROM has it already", name.text),
                   "another name after AS: UNNEST(list) AS item WITH OFFSET AS i");
  }
  unnest_scope->Add(name.text, std::move(in_scope));
  input_types.push_back(std::move(of_client));
  return OkStatus();
}

// Completes the plan of the source, when all expressions of this SELECT are compiled and have added
// the slots that they need to the source's scope.
Status SelectPlanner::PlanInput() {
  SelectPlan& input = source->plan;
  std::vector<Expression> beside = SplitAnd(std::move(input.program.where));
  SplitWhere(&beside);
  ChooseInputs();
  MoveLists(&beside);
  // A source whose values nobody needs still has to say how many rows it has.
  std::vector<Expression>& outputs = input.program.outputs;
  if (outputs.empty()) outputs.push_back(Expression::Literal(Value::Null()));
  input.program.where = JoinAnd(std::move(beside));
  RETURN_IF_ERROR(source->FinishRead());
  const std::vector<DataType> slots = source->SlotTypes();
  for (const Expression& output : outputs) {
    input.columns.push_back({output.Print(), TypeOf(output, slots)});
    input_types.push_back(input.columns.back().type);
  }
  plan.input = std::make_unique<SelectPlan>(std::move(input));
  return OkStatus();
}

// Moves the tests of WHERE that name no column of an UNNEST to the source, which tests each row
// once and, if it is a table, beside the data.
void SelectPlanner::SplitWhere(std::vector<Expression>* beside) {
  const auto columns = static_cast<uint32_t>(plan.unnest_columns);
  std::vector<Expression> here;
  for (Expression& test : SplitAnd(std::move(plan.program.where))) {
    if (AnySlot(test, [&](uint32_t slot) { return slot < columns; })) {
      here.push_back(std::move(test));
      continue;
    }
    ChangeSlots(&test, [&](uint32_t slot) { return slot - columns; });
    beside->push_back(std::move(test));
  }
  plan.program.where = JoinAnd(std::move(here));
}

// Makes an output of the source for each of its slots that is used here, and lets the expressions
// name the outputs. The lists that the source computes follow in MoveLists.
void SelectPlanner::ChooseInputs() {
  const auto columns = static_cast<uint32_t>(plan.unnest_columns);
  std::vector<Expression>& outputs = source->plan.program.outputs;
  std::map<uint32_t, uint32_t> places;  // slot of the source -> slot of a line
  auto place_of = [&](uint32_t slot) {
    if (slot < columns) return slot;
    auto [found, is_new] =
        places.try_emplace(slot - columns, columns + static_cast<uint32_t>(outputs.size()));
    if (is_new) outputs.push_back(Expression::Slot(slot - columns));
    return found->second;
  };
  for (size_t i = 0; i < plan.unnests.size(); ++i) {
    if (!IsMoved(plan.unnests, i, columns)) ChangeSlots(&plan.unnests[i].list, place_of);
  }
  for (Expression* expression : ExpressionsOf(&plan.program)) ChangeSlots(expression, place_of);
}

// Lets the source compute the lists that need only its values. Rows without items are then left out
// beside the data, so that a table need not read every column only to find such rows. Where a test
// of WHERE may be NULL, which does not end an AND, only lists without errors are tested: the error
// of a list that nobody wants would end the statement.
void SelectPlanner::MoveLists(std::vector<Expression>* beside) {
  const auto columns = static_cast<uint32_t>(plan.unnest_columns);
  std::vector<Expression>& outputs = source->plan.program.outputs;
  const bool has_tests = !beside->empty();
  for (size_t i = 0; i < plan.unnests.size(); ++i) {
    UnnestPlan& unnest = plan.unnests[i];
    if (!IsMoved(plan.unnests, i, columns)) continue;
    Expression list = std::move(unnest.list);
    ChangeSlots(&list, [&](uint32_t slot) { return slot - columns; });
    if (!unnest.keeps_row && (!has_tests || CannotFail(list))) {
      Expression count = Expression::Call(Function::kCardinality, {list});
      count.place = list.place;
      beside->push_back(Expression::Call(Function::kGreater,
                                         {std::move(count), Expression::Literal(Value::Int64(0))}));
    }
    auto found = std::find(outputs.begin(), outputs.end(), list);
    if (found == outputs.end()) found = outputs.insert(found, std::move(list));
    unnest.list = Expression::Slot(columns + static_cast<uint32_t>(found - outputs.begin()));
  }
}

}  // namespace sippar::query
