// SPDX-License-Identifier: Apache-2.0
#include "query/execute/tail.h"

#include <fmt/format.h>

#include <utility>

#include "engine/model/change_config.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/change_walk.h"
#include "query/execute/select.h"
#include "query/execute/tail_looks.h"
#include "query/execute/tail_poll.h"
#include "query/execute/tail_position.h"
#include "query/execute/tail_view.h"
#include "query/execute/transaction.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::RowRange;

StatusOr<std::vector<TailPart>> StoredParts(const Value& text, uint64_t table_id,
                                            const Span& span) {
  std::optional<TailPosition> position = DecodeTailPosition(text.bytes());
  if (position && position->table_id == table_id) return std::move(position->parts);
  uint64_t looked_at = 0;
  const bool of_looks = TailLooks::FromPosition(text.bytes(), &looked_at).has_value();
  return ErrorAt("TOKEN_MISMATCH", span,
                 position   ? "this is a position in the changes of another table"
                 : of_looks ? "this position is not in a change stream, which the table now has"
                            : "this is not a position in the changes of a table",
                 "FROM 'position' continues after the last TAIL, FROM time at a time");
}

// Where the statement begins: at a stored position, at a time, or now.
StatusOr<std::vector<TailPart>> StartOf(const StatementContext& context, const syntax::Tail& tail,
                                        const cluster::TableInfo& info) {
  int64_t start_us = context.now_us;
  if (tail.from) {
    ASSIGN_OR_RETURN(Value from, CompileConstant(context, *tail.from));
    if (from.is_string()) return StoredParts(from, info.table_id, tail.from->span);
    ASSIGN_OR_RETURN(start_us, CompileTime(context, *tail.from));
  }
  ASSIGN_OR_RETURN(std::vector<RowRange> tablets,
                   context.DoData(cluster::calls::TabletRanges{info.schema.name}));
  std::vector<TailPart> parts;
  for (RowRange& rows : tablets) parts.push_back({std::move(rows), "", start_us});
  return parts;
}

}  // namespace

Status ExecuteTail(const StatementContext& context, const syntax::Tail& tail) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "TAIL"));
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, tail.table));
  TailView view;
  RETURN_IF_ERROR(view.Prepare(context, info.schema, tail));
  ASSIGN_OR_RETURN(TailEnd end, PlanTailEnd(context, tail));
  if (!engine::ChangeStreamOf(info.schema)) return PollTable(context, tail, info, view, end);
  uint64_t given = 0;
  ChangeWalk walk(context, info.schema.name, end.end_us,
                  [&](const cluster::Change& change, bool* goes_on) -> Status {
                    std::vector<Row> rows;
                    RETURN_IF_ERROR(view.Add(change, &rows));
                    if (rows.empty()) return OkStatus();
                    given += rows.size();
                    GiveRows(context, std::move(rows), goes_on);
                    // The rows of a change are shown together even if they exceed the limit: a
                    // position from which TAIL can continue is always between two changes.
                    if (given >= end.limit) *goes_on = false;
                    return OkStatus();
                  });
  walk.from_now = !tail.from;
  ASSIGN_OR_RETURN(std::vector<TailPart> start, StartOf(context, tail, info));
  RETURN_IF_ERROR(walk.Open(start));
  context.summary->kind = ResultKind::kRows;
  context.sink->Begin(TailView::ShownColumns());
  RETURN_IF_ERROR(walk.Run());
  context.summary->next =
      fmt::format("FROM '{}'", EncodeTailPosition({info.table_id, walk.Position()}));
  return OkStatus();
}

}  // namespace sippar::query
