// EXPLAIN of the statements that write rows. It runs their planning and stops before the first call
// that would write.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/explain.h"
#include "query/execute/insert_select_plan.h"
#include "query/execute/row_writer.h"
#include "query/execute/transaction.h"
#include "query/execute/write.h"
#include "query/format/json_value.h"
#include "query/plan/rows_plan.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::RowUpdate;
using engine::RowWrite;

std::string PrintTimes(const std::vector<engine::TimeRange>& times) {
  std::string text;
  for (const engine::TimeRange& range : times) {
    const bool begins = range.start_us != engine::kTimeMin,
               ends = range.limit_us != engine::kTimeMax;
    text += fmt::format("{}[{}, {})", text.empty() ? " TIME " : " ",
                        begins ? fmt::format("{}", range.start_us) : "-∞",
                        ends ? fmt::format("{}", range.limit_us) : "∞");
  }
  return text;
}

std::string PrintStep(const RowWrite& write, uint32_t* lets) {
  const std::string column = QuoteColumn(write.family, write.qualifier);
  switch (write.kind) {
    case RowWrite::kSet:
      return fmt::format("{} = {}", column, write.value.Print());
    case RowWrite::kIncrement:
      return fmt::format("{} += {}", column, write.value.Print());
    case RowWrite::kAppend:
      return fmt::format("{} ||= {}", column, write.value.Print());
    case RowWrite::kDeleteColumns:
      return fmt::format("delete {}{}", PrintColumn(write.pattern), PrintTimes(write.times));
    case RowWrite::kDeleteFamily:
      return fmt::format("delete {}:*", write.family);
    case RowWrite::kDeleteRow:
      return "delete the row";
    case RowWrite::kLet:
      return fmt::format("let {} = {}", (*lets)++, write.value.Print());
    case RowWrite::kFail:
      return fmt::format("fail {}", write.value.Print());
  }
  return "";
}

std::vector<std::string> PrintWrites(const RowUpdate& update) {
  std::vector<std::string> out;
  uint32_t lets = 0;
  for (const RowWrite& write : update.writes) {
    std::string& text = out.emplace_back(PrintStep(write, &lets));
    if (write.timestamp) text += fmt::format(" at {}", write.timestamp->Print());
    if (write.guard) text += fmt::format(" if {}", write.guard->Print());
  }
  return out;
}

// Adds to `tree` what one row update reads and does under the lock of its row.
void AddUpdate(const RowUpdate& update, PlanTree* tree) {
  tree->Add("reads", PrintSlots(update.slots, update.read.columns));
  if (update.condition) tree->Add("condition", update.condition->Print());
  tree->Add("writes", PrintWrites(update));
  std::vector<std::string> returns;
  for (const engine::Expression& value : update.returning) returns.push_back(value.Print());
  tree->Add("returns", returns);
}

// Adds to `tree` the keys of the rows that the statement writes.
void AddKeys(const std::vector<std::string>& keys, PlanTree* tree) {
  // A statement may list 100,000 rows; its text shows the first ones.
  constexpr size_t kShown = 20;
  std::string text, json;
  for (size_t i = 0; i < keys.size(); ++i) {
    json += (i > 0 ? "," : "") + JsonValue(Value::Bytes(keys[i]));
    if (i < kShown) text += (i > 0 ? ", " : "") + QuoteValue(keys[i]);
  }
  if (keys.size() > kShown) text += fmt::format(", … {} in all", keys.size());
  tree->AddJson("keys", "[" + json + "]", keys.empty() ? "none" : text);
}

std::string HeldBack(const StatementContext& context) {
  return context.session->transaction ? "; held back until COMMIT" : "";
}

StatusOr<PlanTree> OfRows(const StatementContext& context, std::string_view statement,
                          std::string_view verb, StatusOr<RowsPlan> planned) {
  RETURN_IF_ERROR(planned.status());
  RowsPlan& plan = *planned;
  const bool drops = plan.how == RowsPlan::kDropped;
  PlanTree tree(statement,
                fmt::format("{} {}: {}{}", verb, plan.schema->name,
                            drops ? "whole rows, in batches"
                                  : "each row atomically under its lock, with a call of its own",
                            HeldBack(context)));
  tree.AddJson("table", JsonText(plan.schema->name));
  tree.AddJson("atomic", "\"row\"");
  if (IsUnsafe(context, plan)) {
    tree.Add("refused", "UNSAFE: there is no test on row, and safe_updates is on");
  }
  if (!drops) {
    tree.AddJson("makes_rows", JsonBool(plan.makes_rows),
                 plan.makes_rows ? "yes, if a row has no cell" : "no, only rows that exist change");
  }
  if (plan.how == RowsPlan::kListed) {
    AddKeys(plan.keys, &tree);
    tree.Add("calls", plan.keys.size());
    AddUpdate(FinishUpdate(&plan), &tree);
    return tree;
  }
  tree.AddJson(
      "calls", "null",
      drops ? fmt::format("the scan, and one for each batch of {} keys and tablet", kBatchRows)
            : "the scan, and one for each row that it finds");
  if (!drops) AddUpdate(FinishUpdate(&plan), &tree);
  SelectPlan scan = KeyScan(context, plan);
  ASSIGN_OR_RETURN(PlanTree found, ExplainSelectPlan(context, scan));
  tree.Add("keys_from", found);
  return tree;
}

StatusOr<PlanTree> OfInsertSelect(const StatementContext& context,
                                  const engine::TableSchema& schema, const syntax::Insert& insert) {
  ASSIGN_OR_RETURN(InsertSelectPlan plan, PlanInsertSelect(context, schema, insert));
  PlanTree tree(
      "INSERT SELECT",
      fmt::format("insert into {}: in batches of {} rows or {} MiB, while the SELECT runs",
                  schema.name, kBatchRows, kBatchBytes >> 20));
  tree.AddJson("table", JsonText(schema.name));
  tree.AddJson("atomic", "\"row\"");
  if (plan.cells) {
    tree.AddJson("columns", "[\"row\",\"column\",\"timestamp\",\"value\"]",
                 "cells, which keep their times");
  } else {
    std::vector<std::string> columns;
    for (size_t i = 0; i < plan.columns.columns.size(); ++i) {
      columns.push_back(i == plan.columns.row_at    ? "ROW"
                        : i == plan.columns.time_at ? "TIMESTAMP"
                                                    : PrintColumn(plan.columns.columns[i]));
    }
    tree.Add("columns", columns);
  }
  tree.AddJson("own_table", JsonBool(plan.reads_what_it_writes),
               plan.reads_what_it_writes
                   ? "a row ahead of the reader is written when the reader has passed it"
                   : "");
  tree.AddJson("resumable", JsonBool(plan.source_row_at.has_value()),
               plan.source_row_at ? "yes, after a failure with AFTER ROW 'key'"
                                  : "no, its rows are not in the order of a table");
  tree.AddJson("calls", "null", "the SELECT's, and one for each batch and tablet");
  ASSIGN_OR_RETURN(PlanTree select, ExplainSelectPlan(context, plan.select));
  tree.Add("from", select);
  return tree;
}

StatusOr<PlanTree> OfInsertRow(const StatementContext& context, const engine::TableSchema& schema,
                               const syntax::Insert& insert) {
  UpdateBuilder builder(context, schema);
  ASSIGN_OR_RETURN(std::string row, PlanInsertRow(context, insert, &builder));
  const bool reads = builder.ReadsRow();
  PlanTree tree("INSERT", fmt::format("insert into {}: one row, atomically{}{}", schema.name,
                                      reads ? ", read and written under its lock"
                                            : ", written without a read",
                                      HeldBack(context)));
  tree.AddJson("table", JsonText(schema.name));
  tree.AddJson("atomic", "\"row\"");
  AddKeys({row}, &tree);
  tree.Add("calls", context.session->transaction ? 0U : 1U);
  AddUpdate(builder.Finish(), &tree);
  return tree;
}

StatusOr<PlanTree> OfInsertValues(const StatementContext& context,
                                  const engine::TableSchema& schema, const syntax::Insert& insert) {
  ASSIGN_OR_RETURN(std::vector<engine::RowRange> tablets,
                   context.DoData(cluster::calls::TabletRanges{schema.name}));
  RowWriter writer(context, schema.name);
  writer.OnlyCount(tablets);
  RETURN_IF_ERROR(AddInsertedRows(context, schema, insert, &writer));
  RETURN_IF_ERROR(writer.Flush());
  PlanTree tree(
      "INSERT",
      fmt::format("insert into {}: {}, {}, each row atomically, without a read{}", schema.name,
                  Plural(writer.rows(), "row"), Plural(writer.cells(), "cell"), HeldBack(context)));
  tree.AddJson("table", JsonText(schema.name));
  tree.AddJson("atomic", "\"row\"");
  tree.AddJson("rows_written", fmt::format("{}", writer.rows()));
  tree.AddJson("cells_written", fmt::format("{}", writer.cells()));
  const bool held = context.session->transaction.has_value();
  tree.Add("batches", held ? 0U : writer.batches());
  tree.AddJson("calls", fmt::format("{}", held ? 0U : writer.calls()),
               fmt::format("{}, one for each batch and tablet", held ? 0U : writer.calls()));
  return tree;
}

}  // namespace

StatusOr<PlanTree> ExplainWrite(const StatementContext& context, const syntax::Insert& insert) {
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, insert.table));
  if (insert.kind == syntax::Insert::kSelect) return OfInsertSelect(context, *schema, insert);
  if (insert.kind == syntax::Insert::kRow) return OfInsertRow(context, *schema, insert);
  return OfInsertValues(context, *schema, insert);
}

StatusOr<PlanTree> ExplainWrite(const StatementContext& context, const syntax::Update& update) {
  return OfRows(context, "UPDATE", "update", PlanRows(context, update));
}

StatusOr<PlanTree> ExplainWrite(const StatementContext& context, const syntax::Delete& statement) {
  return OfRows(context, "DELETE", "delete from", PlanRows(context, statement));
}

StatusOr<PlanTree> ExplainWrite(const StatementContext& context,
                                const syntax::Increment& increment) {
  return OfRows(context, "INCREMENT", "increment", PlanRows(context, increment));
}

StatusOr<PlanTree> ExplainWrite(const StatementContext& context, const syntax::Append& append) {
  return OfRows(context, "APPEND", "append to", PlanRows(context, append));
}

StatusOr<PlanTree> ExplainWrite(const StatementContext& context, const syntax::Atomic& atomic) {
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, atomic.table));
  ASSIGN_OR_RETURN(std::string row, CompileRowKey(context, atomic.row));
  UpdateBuilder builder(context, *schema);
  RETURN_IF_ERROR(PlanAtomic(context, atomic, &builder).status());
  PlanTree tree("ATOMIC", fmt::format("atomic on {}: one row, read and written under its lock{}",
                                      schema->name, HeldBack(context)));
  tree.AddJson("table", JsonText(schema->name));
  tree.AddJson("atomic", "\"row\"");
  AddKeys({row}, &tree);
  tree.Add("calls", context.session->transaction ? 0U : 1U);
  AddUpdate(builder.Finish(), &tree);
  return tree;
}

}  // namespace sippar::query
