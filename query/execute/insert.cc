// All forms of INSERT except INSERT … SELECT.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/insert_columns.h"
#include "query/execute/insert_select.h"
#include "query/execute/row_overlay.h"
#include "query/execute/row_writer.h"
#include "query/execute/transaction.h"
#include "query/execute/write.h"
#include "query/plan/update_builder.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

// Executes INSERT … ROW key SET …. If the statement has no IF and none of its values reads the row,
// it is a plain write, for which the tablet does not read the row.
Status InsertRow(const StatementContext& context, const engine::TableSchema& schema,
                 const syntax::Insert& insert) {
  UpdateBuilder builder(context, schema);
  ASSIGN_OR_RETURN(std::string row, PlanInsertRow(context, insert, &builder));
  bool reads = builder.ReadsRow();
  engine::RowUpdate update = builder.Finish();
  update.row = row;
  if (reads) {
    ASSIGN_OR_RETURN(engine::RowUpdateResult result,
                     RunUpdate(context, schema.name, update, insert.row.span));
    context.summary->applied = result.applied;
    uint64_t rows = result.applied ? 1 : 0;
    context.summary->tag = insert.condition
                               ? fmt::format("applied: {}, {}", result.applied, Plural(rows, "row"))
                               : WrittenTag(rows, result.cells_set);
    return OkStatus();
  }
  // The update reads nothing, so it can be planned here on an empty row.
  // PlanRowUpdate is used although nothing is read, so that values, times and types follow the same
  // rules as in an update.
  auto nothing = [](const engine::RowMutation&, const engine::ReadSpec&) {
    return ReadCells({}, {});
  };
  auto plan = engine::PlanRowUpdate(update, nothing, engine::kServerTime);
  if (!plan.ok()) return WithQueryCode(plan.status(), insert.row.span);
  RowWriter writer(context, schema.name);
  RETURN_IF_ERROR(writer.Add(std::move(plan->mutation), insert.row.span));
  RETURN_IF_ERROR(WithRowsDone(writer.Flush(), writer));
  context.summary->tag = WrittenTag(writer.rows(), writer.cells());
  return OkStatus();
}

StatusOr<engine::RowMutation> TupleRow(const StatementContext& context, const syntax::Expr& key) {
  ASSIGN_OR_RETURN(std::string row, CompileRowKey(context, key));
  return engine::RowMutation(row);
}

StatusOr<int64_t> CellTime(const StatementContext& context, const syntax::Expr& expr) {
  ASSIGN_OR_RETURN(int64_t time_us, CompileTime(context, expr));
  RETURN_IF_ERROR(CheckCellTime(time_us, expr.span));
  return time_us;
}

// Adds the cell of one value of a tuple to `mutation`; NULL adds none.
// NULL cannot be stored: a cell either exists or does not. INSERT of a tuple with NULL leaves the
// column as it was.
Status SetColumn(const StatementContext& context, const engine::TableSchema& schema,
                 const engine::ColumnPattern& column, const syntax::Expr& expr, int64_t time_us,
                 engine::RowMutation* mutation) {
  ASSIGN_OR_RETURN(Value value, CompileConstant(context, expr));
  if (value.is_null()) return OkStatus();
  const std::string& family = column.family.text;
  const std::string& qualifier = column.qualifier.text;
  ASSIGN_OR_RETURN(std::string bytes, CellBytes(schema, family, qualifier, value, expr.span));
  mutation->Set(family, qualifier, bytes, time_us);
  return OkStatus();
}

// INSERT … (ROW, columns) VALUES tuples [AT time]. A NULL writes no cell.
Status InsertTuples(const StatementContext& context, const engine::TableSchema& schema,
                    const syntax::Insert& insert, RowWriter* writer) {
  ASSIGN_OR_RETURN(InsertColumns plan,
                   PlanInsertColumns(context, schema, insert.columns, insert.table.span));
  int64_t at_us = engine::kServerTime;
  if (insert.at) {
    ASSIGN_OR_RETURN(at_us, CellTime(context, *insert.at));
  }
  for (size_t n = 0; n < insert.tuples.size(); ++n) {
    RETURN_IF_ERROR(context.CheckStop());
    const syntax::Tuple& tuple = insert.tuples[n];
    if (tuple.values.size() != plan.columns.size()) {
      return ErrorAt("ARITY", tuple.span,
                     fmt::format("{}, {} in tuple {}", Plural(plan.columns.size(), "column"),
                                 Plural(tuple.values.size(), "value"), n + 1));
    }
    ASSIGN_OR_RETURN(engine::RowMutation mutation, TupleRow(context, tuple.values[plan.row_at]));
    int64_t time_us = at_us;
    if (plan.time_at) {
      ASSIGN_OR_RETURN(time_us, CellTime(context, tuple.values[*plan.time_at]));
    }
    for (size_t i = 0; i < plan.columns.size(); ++i) {
      if (!plan.IsCell(i)) continue;
      RETURN_IF_ERROR(
          SetColumn(context, schema, plan.columns[i], tuple.values[i], time_us, &mutation));
    }
    // A tuple that has only NULLs writes nothing, and its row does not count as written.
    if (mutation.entries.empty()) continue;
    RETURN_IF_ERROR(writer->Add(std::move(mutation), tuple.span));
  }
  return OkStatus();
}

// INSERT … CELLS VALUES (row, 'family:qualifier', timestamp, value), … A NULL timestamp means the
// server's clock.
Status InsertCells(const StatementContext& context, const engine::TableSchema& schema,
                   const syntax::Insert& insert, RowWriter* writer) {
  for (size_t n = 0; n < insert.tuples.size(); ++n) {
    RETURN_IF_ERROR(context.CheckStop());
    const syntax::Tuple& tuple = insert.tuples[n];
    if (tuple.values.size() != 4) {
      return ErrorAt("ARITY", tuple.span,
                     fmt::format("CELLS takes (row, column, timestamp, value); tuple {} has {}",
                                 n + 1, Plural(tuple.values.size(), "value")));
    }
    ASSIGN_OR_RETURN(engine::RowMutation mutation, TupleRow(context, tuple.values[0]));
    ASSIGN_OR_RETURN(Value column, CompileConstant(context, tuple.values[1]));
    size_t colon = column.bytes().find(':');
    if (colon == std::string::npos) {
      return ErrorAt("BAD_COLUMN", tuple.values[1].span,
                     "a column must be written as 'family:qualifier'");
    }
    std::string family = column.bytes().substr(0, colon);
    std::string qualifier = column.bytes().substr(colon + 1);
    if (schema.FindFamily(family) == nullptr) {
      return UnknownFamily(schema, family, tuple.values[1].span);
    }
    int64_t time_us = engine::kServerTime;
    ASSIGN_OR_RETURN(Value time, CompileConstant(context, tuple.values[2]));
    if (!time.is_null()) {
      ASSIGN_OR_RETURN(time_us, CompileTime(context, tuple.values[2]));
      RETURN_IF_ERROR(CheckCellTime(time_us, tuple.values[2].span));
    }
    ASSIGN_OR_RETURN(Value value, CompileConstant(context, tuple.values[3]));
    ASSIGN_OR_RETURN(std::string bytes,
                     CellBytes(schema, family, qualifier, value, tuple.values[3].span));
    mutation.Set(family, qualifier, bytes, time_us);
    RETURN_IF_ERROR(writer->Add(std::move(mutation), tuple.span));
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::string> PlanInsertRow(const StatementContext& context, const syntax::Insert& insert,
                                    UpdateBuilder* builder) {
  ASSIGN_OR_RETURN(std::string row, CompileRowKey(context, insert.row));
  for (const syntax::Assign& assign : insert.assigns) RETURN_IF_ERROR(builder->AddAssign(assign));
  RETURN_IF_ERROR(builder->AddCondition(insert.condition));
  return row;
}

Status AddInsertedRows(const StatementContext& context, const engine::TableSchema& schema,
                       const syntax::Insert& insert, RowWriter* writer) {
  return insert.kind == syntax::Insert::kTuples ? InsertTuples(context, schema, insert, writer)
                                                : InsertCells(context, schema, insert, writer);
}

Status ExecuteInsert(const StatementContext& context, const syntax::Insert& insert) {
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, insert.table));
  if (insert.kind == syntax::Insert::kRow) return InsertRow(context, *schema, insert);
  if (insert.kind == syntax::Insert::kSelect) return InsertFromSelect(context, *schema, insert);
  RowWriter writer(context, schema->name);
  Status status = AddInsertedRows(context, *schema, insert, &writer);
  if (status.ok()) status = writer.Flush();
  if (!status.ok()) return WithRowsDone(status, writer);
  context.summary->tag = WrittenTag(writer.rows(), writer.cells());
  return OkStatus();
}

}  // namespace sippar::query
