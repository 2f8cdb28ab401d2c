// INSERT in its forms, and RowWriter. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "engine/base/limits.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/gathered_rows.h"
#include "query/execute/row_overlay.h"
#include "query/execute/transaction.h"
#include "query/execute/write.h"
#include "query/plan/update_builder.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

// RowWriter sends its batch when it holds this many rows or bytes.
// One call for each row would cost a round trip and a sync each; larger batches would only hold
// more memory and lose more on an error.
constexpr size_t kBatchRows = 1000;
constexpr size_t kBatchBytes = 4 << 20;

std::string WrittenTag(uint64_t rows, uint64_t cells) {
  return fmt::format("{}, {} written", Plural(rows, "row"), Plural(cells, "cell"));
}

// INSERT … ROW key SET …. Without IF, and if no value reads the row, it is a plain write, which the
// tablet can do without reading.
Status InsertRow(const StatementContext& context, const engine::TableSchema& schema,
                 const syntax::Insert& insert) {
  ASSIGN_OR_RETURN(std::string row, CompileRowKey(context, insert.row));
  UpdateBuilder builder(context, schema);
  for (const syntax::Assign& assign : insert.assigns) RETURN_IF_ERROR(builder.AddAssign(assign));
  RETURN_IF_ERROR(builder.AddCondition(insert.condition));
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
  RETURN_IF_ERROR(writer.Flush());
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
  std::optional<size_t> row_at, time_at;
  std::vector<engine::ColumnPattern> columns(insert.columns.size());
  for (size_t i = 0; i < insert.columns.size(); ++i) {
    const syntax::ColumnTarget& target = insert.columns[i];
    if (target.kind != syntax::ColumnTarget::kColumn) {
      const bool is_row = target.kind == syntax::ColumnTarget::kRow;
      std::optional<size_t>& at = is_row ? row_at : time_at;
      if (at) {
        return ErrorAt("DUPLICATE", target.span,
                       fmt::format("INSERT names {} twice", is_row ? "ROW" : "TIMESTAMP"));
      }
      at = i;
      continue;
    }
    ASSIGN_OR_RETURN(columns[i], BindPattern(context, schema, target.column));
    if (!columns[i].IsExact()) {
      return ErrorAt("NOT_EXACT", target.span, "a column of INSERT must name exactly one column");
    }
  }
  if (!row_at) {
    return ErrorAt("NO_ROW", insert.table.span, "ROW is missing from the columns of INSERT",
                   "INSERT INTO t (ROW, f:q) VALUES ('key', 'value')");
  }
  int64_t at_us = engine::kServerTime;
  if (insert.at) {
    ASSIGN_OR_RETURN(at_us, CellTime(context, *insert.at));
  }
  for (size_t n = 0; n < insert.tuples.size(); ++n) {
    const syntax::Tuple& tuple = insert.tuples[n];
    if (tuple.values.size() != columns.size()) {
      return ErrorAt("ARITY", tuple.span,
                     fmt::format("{}, {} in tuple {}", Plural(columns.size(), "column"),
                                 Plural(tuple.values.size(), "value"), n + 1));
    }
    ASSIGN_OR_RETURN(engine::RowMutation mutation, TupleRow(context, tuple.values[*row_at]));
    int64_t time_us = at_us;
    if (time_at) {
      ASSIGN_OR_RETURN(time_us, CellTime(context, tuple.values[*time_at]));
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      if (insert.columns[i].kind != syntax::ColumnTarget::kColumn) continue;
      RETURN_IF_ERROR(SetColumn(context, schema, columns[i], tuple.values[i], time_us, &mutation));
    }
    // A tuple of NULLs alone writes nothing, and its row does not count as written.
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

// The hint for a value that a column of a family cannot hold.
std::string WhatFits(engine::FamilyType family, ValueType value) {
  if (engine::IsAggregate(family)) {
    return fmt::format(
        "its family is of type {}, and only IMPORT and clients of the Bigtable API add to its "
        "cells",
        engine::FamilyTypeName(family));
  }
  if (engine::IsInt64(family)) return "its family is a COUNTER and takes an INT64";
  const bool is_number = value == ValueType::kInt64 || value == ValueType::kFloat64;
  return is_number ? "TEXT(x) writes digits, BYTES(x) 8 bytes" : "TEXT(x) writes it as text";
}

}  // namespace

// INSERT … VALUES and IMPORT know the value, so it is encoded here. An UPDATE sends an expression,
// and the tablet encodes its value by the same rule.
StatusOr<std::string> CellBytes(const engine::TableSchema& schema, std::string_view family,
                                std::string_view qualifier, const Value& value, const Span& span) {
  const engine::FamilySchema* found = schema.FindFamily(family);
  bool counter = found != nullptr && engine::IsInt64(found->type);
  if (counter && value.type() == ValueType::kInt64) return engine::EncodeInt64(value.integer());
  // 8 BYTES are accepted for a counter, so that what `EXPORT` wrote can be read again.
  bool raw = value.type() == ValueType::kBytes && value.bytes().size() == 8;
  if (value.is_string() && (!counter || raw)) return value.bytes();
  return ErrorAt("TYPE", span,
                 fmt::format("{}:{} cannot be set to {}", family, engine::PrintEscaped(qualifier),
                             engine::TypeName(value.type())),
                 WhatFits(counter ? found->type : engine::FamilyType::kBytes, value.type()));
}

Status RowWriter::Add(engine::RowMutation mutation, const Span& span) {
  RETURN_IF_ERROR(CheckTransactionRow(context_, table_, mutation.row, span));
  cells_ += mutation.entries.size();
  if (context_.session->transaction) {
    // Nothing is batched in a transaction; the index only counts each row once.
    if (index_.emplace(mutation.row, 0).second) ++rows_;
    return WriteInTransaction(context_, mutation);
  }
  // Entries of one row are joined into one mutation, which may not exceed the server's limit.
  auto present = index_.find(mutation.row);
  if (present != index_.end() && batch_[present->second].entries.size() + mutation.entries.size() >
                                     limits::kMutationEntriesMax) {
    RETURN_IF_ERROR(Flush());
  }
  bytes_ += mutation.StoredSize();
  auto [found, is_new] = index_.emplace(mutation.row, batch_.size());
  if (is_new) {
    ++rows_;
    batch_.push_back(std::move(mutation));
  } else {
    auto& entries = batch_[found->second].entries;
    for (engine::MutationEntry& entry : mutation.entries) entries.push_back(std::move(entry));
  }
  if (batch_.size() < kBatchRows && bytes_ < kBatchBytes) return OkStatus();
  return Flush();
}

Status RowWriter::Flush() {
  if (batch_.empty()) return OkStatus();
  if (context_.session->gathered != nullptr) {
    index_.clear();
    bytes_ = 0;
    return context_.session->gathered->Take(table_, std::exchange(batch_, {}));
  }
  std::vector<Status> statuses = context_.client()->data()->ApplyBatch(table_, batch_);
  Status first;
  for (size_t i = 0; i < statuses.size(); ++i) {
    // Each row of a batch fails or succeeds alone; the first failure is reported.
    if (statuses[i].ok()) {
      ++flushed_rows_;
      continue;
    }
    if (!first.ok()) continue;
    first = Annotate(statuses[i], fmt::format("row '{}'", engine::PrintEscaped(batch_[i].row)));
  }
  batch_.clear();
  index_.clear();
  bytes_ = 0;
  return first;
}

Status ExecuteInsert(const StatementContext& context, const syntax::Insert& insert) {
  if (insert.kind == syntax::Insert::kSelect) {
    return ErrorAt("UNSUPPORTED", insert.table.span, "INSERT … SELECT is not supported",
                   "EXPORT (SELECT CELLS …) TO 'f.cells' and IMPORT INTO t FROM 'f.cells'",
                   StatusCode::kUnimplemented);
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, insert.table));
  if (insert.kind == syntax::Insert::kRow) return InsertRow(context, *schema, insert);
  RowWriter writer(context, schema->name);
  RETURN_IF_ERROR(insert.kind == syntax::Insert::kTuples
                      ? InsertTuples(context, *schema, insert, &writer)
                      : InsertCells(context, *schema, insert, &writer));
  RETURN_IF_ERROR(writer.Flush());
  context.summary->tag = WrittenTag(writer.rows(), writer.cells());
  return OkStatus();
}

}  // namespace sippar::query
