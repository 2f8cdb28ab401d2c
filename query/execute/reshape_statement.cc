// SPDX-License-Identifier: Apache-2.0
#include "query/execute/reshape_statement.h"

#include <fmt/format.h>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/transaction.h"
#include "query/plan/row_ranges.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

// The row ranges that `where` selects. Tests on anything but the row are refused, because tablets
// are chosen by their keys alone. `what` names the statement in errors.
StatusOr<std::vector<engine::RowRange>> RowsOf(const StatementContext& context,
                                               const engine::TableSchema& schema,
                                               const syntax::Expr& where, std::string_view what) {
  RowScope scope(&context, &schema);
  ExpressionCompiler compiler(context, &scope);
  ASSIGN_OR_RETURN(Expression test, compiler.Compile(where));
  engine::StopBudget budget(&context.stop);
  ASSIGN_OR_RETURN(RowRanges found, RangesOf(test, scope.slots(), &budget));
  if (!found.exact || found.rows.IsEmpty()) {
    return ErrorAt("UNSUPPORTED", where.span,
                   fmt::format("{} needs a test on row alone, which some row can pass", what),
                   "WHERE row < 'k'", StatusCode::kUnimplemented);
  }
  return found.rows.ranges();
}

Status TagTablets(const StatementContext& context, const std::string& table) {
  ASSIGN_OR_RETURN(cluster::TableInfo info, context.DoAdmin(cluster::calls::GetTable{table}));
  context.summary->tag = fmt::format("table {} has {} tablet{}", table, info.tablet_count,
                                     info.tablet_count == 1 ? "" : "s");
  return OkStatus();
}

Status NotText(const Value& value, const Span& span, std::string_view what) {
  return ErrorAt("TYPE", span,
                 fmt::format("{} is TEXT, not {}", what, engine::TypeName(value.type())));
}

}  // namespace

Status ExecuteSplit(const StatementContext& context, const syntax::SplitTable& split) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "SPLIT TABLE"));
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, split.table));
  std::vector<std::string> keys;
  for (const syntax::Expr& expr : split.at) {
    ASSIGN_OR_RETURN(std::string key, CompileRowKey(context, expr));
    keys.push_back(std::move(key));
  }
  // Splits only after all keys were computed, so that an error in one leaves the table unsplit.
  for (const std::string& key : keys) {
    RETURN_IF_ERROR(context.DoAdmin(cluster::calls::Split{info.schema.name, key}));
  }
  return TagTablets(context, info.schema.name);
}

Status ExecuteMerge(const StatementContext& context, const syntax::MergeTablets& merge) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "MERGE TABLETS"));
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, merge.table));
  engine::RowRange rows;
  if (merge.where) {
    ASSIGN_OR_RETURN(std::vector<engine::RowRange> ranges,
                     RowsOf(context, info.schema, *merge.where, "MERGE"));
    // One range that reaches from the start of the first range to the end of the last range.
    rows = {ranges.front().start, ranges.back().limit};
  }
  RETURN_IF_ERROR(context.DoAdmin(cluster::calls::Merge{info.schema.name, rows}));
  return TagTablets(context, info.schema.name);
}

Status ExecuteCompact(const StatementContext& context, const syntax::Compact& compact) {
  // COMPACT and FLUSH are allowed in a row transaction, because they change where cells are stored
  // but not what a read returns.
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, compact.table));
  cluster::calls::Compact call{info.schema.name, compact.group.text, {}};
  if (compact.where) {
    ASSIGN_OR_RETURN(call.rows, RowsOf(context, info.schema, *compact.where, "COMPACT"));
  }
  if (!compact.group.empty() && info.schema.FindGroup(compact.group.text) == nullptr) {
    std::vector<std::string> known;
    for (const engine::LocalityGroupSchema& group : info.schema.groups) known.push_back(group.name);
    return UnknownName("locality group", compact.group.text, compact.group.span, known);
  }
  if (SameWord(compact.kind.text, "MINOR")) {
    if (compact.where) {
      return ErrorAt("BAD_OPTION", compact.where->span, "COMPACT MINOR takes no WHERE",
                     "a minor compaction writes the memtable of every tablet");
    }
    return ExecuteFlush(context, {compact.table});
  }
  RETURN_IF_ERROR(context.DoAdmin(call));
  context.summary->tag = fmt::format("table {} compacted{}", info.schema.name,
                                     compact.where ? ": the tablets that have these rows" : "");
  return OkStatus();
}

Status ExecuteFlush(const StatementContext& context, const syntax::Flush& flush) {
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, flush.table));
  RETURN_IF_ERROR(context.DoAdmin(cluster::calls::Flush{info.schema.name}));
  context.summary->tag = fmt::format("table {} flushed", info.schema.name);
  return OkStatus();
}

Status ExecuteMove(const StatementContext& context, const syntax::MoveTablet& move) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "MOVE TABLET"));
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, move.table));
  ASSIGN_OR_RETURN(Value row, CompileConstant(context, move.row));
  ASSIGN_OR_RETURN(Value server, CompileConstant(context, move.server));
  // The row may be any bytes, even an invalid row key: it selects the tablet whose range covers
  // these bytes. '' selects the first tablet.
  if (!row.is_string()) return NotText(row, move.row.span, "a row");
  if (!server.is_string()) return NotText(server, move.server.span, "a server's name");
  RETURN_IF_ERROR(context.DoAdmin(cluster::calls::MoveTablet{
      info.schema.name, std::string(row.bytes()), std::string(server.bytes())}));
  context.summary->tag =
      fmt::format("tablet of table {} with row {} is served by {}", info.schema.name,
                  QuoteValue(std::string(row.bytes())), engine::PrintEscaped(server.bytes()));
  return OkStatus();
}

Status ExecuteBalance(const StatementContext& context, const syntax::Balance& balance) {
  const std::string& mode = balance.mode.text;
  if (mode.empty() || mode == "NOW") {
    RETURN_IF_ERROR(context.DoAdmin(cluster::calls::BalanceNow{}));
    context.summary->tag = "balance round begun";
    return OkStatus();
  }
  if (mode != "ON" && mode != "OFF") {
    return ErrorAt("BAD_OPTION", balance.mode.span,
                   fmt::format("BALANCE takes NOW, ON or OFF, not {}", mode));
  }
  RETURN_IF_ERROR(context.DoAdmin(cluster::calls::SetBalancing{mode == "ON"}));
  context.summary->tag = fmt::format("balancing is {}", mode == "ON" ? "on" : "off");
  return OkStatus();
}

}  // namespace sippar::query
