// SPDX-License-Identifier: Apache-2.0
#include "query/execute/tail_view.h"

#include <string>
#include <utility>

#include "engine/model/stored_entry.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::MutationEntry;

// The first kShown columns are shown; WHERE can name the others, too.
constexpr size_t kShown = 6;
const std::vector<ResultColumn>& Columns() {
  static const auto& columns = *new std::vector<ResultColumn>{{"committed", ValueType::kTimestamp},
                                                              {"row", ValueType::kText},
                                                              {"op", ValueType::kText},
                                                              {"column", ValueType::kText},
                                                              {"timestamp", ValueType::kInt64},
                                                              {"value", {}},
                                                              {"family", ValueType::kText},
                                                              {"qualifier", ValueType::kText}};
  return columns;
}

}  // namespace

StatusOr<TailEnd> PlanTailEnd(const StatementContext& context, const syntax::Tail& tail) {
  TailEnd end;
  if (tail.to) {
    ASSIGN_OR_RETURN(end.end_us, CompileTime(context, *tail.to));
  }
  if (!tail.limit) return end;
  if (tail.limit->unit == syntax::Limit::kBy || tail.limit->offset) {
    return ErrorAt("SYNTAX", tail.limit->span, "TAIL takes LIMIT n alone, without BY and OFFSET");
  }
  ASSIGN_OR_RETURN(end.limit, CompileCount(context, tail.limit->count, "LIMIT", 1));
  return end;
}

std::vector<ResultColumn> TailView::ShownColumns() {
  return {Columns().begin(), Columns().begin() + kShown};
}

Status TailView::Prepare(const StatementContext& context, const engine::TableSchema& schema,
                         const syntax::Tail& tail) {
  schema_ = schema;
  for (const syntax::PatternNode& node : tail.patterns) {
    ASSIGN_OR_RETURN(engine::ColumnPattern pattern, BindPattern(context, schema, node));
    patterns_.push_back(std::move(pattern));
  }
  ASSIGN_OR_RETURN(columns_, engine::ColumnMatcher::Compile(patterns_));
  if (!tail.where) return OkStatus();
  std::vector<std::string> names;
  std::vector<DataType> types;
  for (const ResultColumn& column : Columns()) {
    names.push_back(column.name);
    types.push_back(column.type);
  }
  RelationScope scope("TAIL", names, types);
  ExpressionCompiler compiler(context, &scope);
  ASSIGN_OR_RETURN(Expression test, compiler.CompileTest(*tail.where));
  ASSIGN_OR_RETURN(where_, engine::Evaluator::Prepare(test, &context.stop));
  return OkStatus();
}

Status TailView::Add(const cluster::Change& change, std::vector<Row>* rows) const {
  for (const MutationEntry& entry : change.mutation.entries) {
    const bool of_family = entry.kind == MutationEntry::kDeleteFamily;
    const bool wanted = of_family ? columns_->MatchesFamily(entry.family)
                                  : columns_->Matches(entry.family, entry.qualifier);
    if (wanted) RETURN_IF_ERROR(AddIfPassing(RowOf(change, entry), rows));
  }
  return OkStatus();
}

Status TailView::AddCell(const engine::CellView& cell, std::vector<Row>* rows) const {
  std::string column(cell.family);
  column.append(":").append(cell.qualifier);
  return AddIfPassing(
      {Value::Null(), Value::Text(std::string(cell.row)), Value::Text("SET"),
       Value::Text(std::move(column)), Value::Int64(cell.timestamp_us),
       CellValue(schema_, cell.family, cell.value), Value::Text(std::string(cell.family)),
       Value::Text(std::string(cell.qualifier))},
      rows);
}

Status TailView::AddIfPassing(Row row, std::vector<Row>* rows) const {
  bool pass = true;
  if (where_ != nullptr) {
    Status tested = where_->EvaluateTest(row, nullptr, &pass);
    if (!tested.ok()) return WithQueryCode(tested);
  }
  if (!pass) return OkStatus();
  row.resize(kShown);
  rows->push_back(std::move(row));
  return OkStatus();
}

Row TailView::RowOf(const cluster::Change& change, const MutationEntry& entry) const {
  const bool of_family = entry.kind == MutationEntry::kDeleteFamily;
  const bool sets = entry.kind == MutationEntry::kSet;
  // A deletion is shown with a time only if it deletes one version.
  const bool one = sets || engine::IsOneVersion(entry.time);
  const int64_t time_us = sets ? entry.timestamp_us : entry.time.start_us;
  return {Value::Timestamp(change.commit_us),
          Value::Text(change.mutation.row),
          Value::Text(sets ? "SET" : "DELETE"),
          Value::Text(entry.family + ":" + (of_family ? "*" : entry.qualifier)),
          one ? Value::Int64(time_us) : Value::Null(),
          sets ? CellValue(schema_, entry.family, entry.value) : Value::Null(),
          Value::Text(entry.family),
          of_family ? Value::Null() : Value::Text(entry.qualifier)};
}

}  // namespace sippar::query
