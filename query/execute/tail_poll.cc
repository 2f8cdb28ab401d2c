// SPDX-License-Identifier: Apache-2.0
#include "query/execute/tail_poll.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "engine/base/stop_budget.h"
#include "query/analyze/compile.h"
#include "query/execute/select.h"
#include "query/execute/tail_looks.h"
#include "query/execute/tail_position.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::CellView;

constexpr int64_t kBetweenLooksUs = 1'000'000;
constexpr int64_t kNapUs = 50'000;  // longest time until Ctrl-C is noticed between two looks
// Rows are given to the sink when they are this many, or their cells this large.
constexpr size_t kBatchRows = 256;
constexpr size_t kBatchBytes = 1 << 20;

class PollRun {
 public:
  PollRun(const StatementContext& context, const cluster::TableInfo& info, const TailView& view,
          const TailEnd& end, TailLooks* looks, bool from_now)
      : context_(context),
        info_(info),
        view_(view),
        end_(end),
        looks_(looks),
        is_silent_(from_now),
        budget_(&context.stop) {}

  Status Run() {
    for (;;) {
      if (looks_->Begin(context_.client()->clock()->NowMicros(), end_.end_us)) {
        Status looked = Look();
        if (looked.ok() && !goes_on_) return OkStatus();
        if (looked.ok()) {
          looks_->End();
          is_silent_ = false;
        } else if (!IsPassing(looked)) {
          return looked;
        }
      }
      if (looks_->IsOver(end_.end_us)) return OkStatus();
      RETURN_IF_ERROR(Wait());
    }
  }

 private:
  // A server stops, or a tablet moves or changes under the read: the next look goes on from the
  // last cell given.
  static bool IsPassing(const Status& status) {
    return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kAborted;
  }

  Status Wait() {
    engine::Clock* clock = context_.client()->clock();
    const int64_t until_nanos = clock->MonotonicNanos() + kBetweenLooksUs * 1000;
    while (clock->MonotonicNanos() < until_nanos) {
      RETURN_IF_ERROR(context_.CheckStop());
      clock->SleepMicros(kNapUs);
    }
    return context_.CheckStop();
  }

  Status Look() {
    RETURN_IF_ERROR(CheckSameTable());
    engine::ReadSpec read;
    read.rows = engine::RowSet(looks_->rows());
    read.columns = view_.patterns();
    read.time = looks_->times();
    ASSIGN_OR_RETURN(
        std::unique_ptr<engine::CellStream> cells,
        context_.client()->data()->Read(info_.schema.name, read, context_.CallOptions()));
    for (; cells->Valid() && goes_on_; cells->Next()) {
      const CellView& cell = cells->cell();
      ++context_.session->cells_read;
      RETURN_IF_ERROR(budget_.Spend(cell.value.size() + engine::StopBudget::kStep));
      if (looks_->IsNew(cell)) RETURN_IF_ERROR(Give(cell));
    }
    // What came before an error counts as given, so it must be shown.
    RETURN_IF_ERROR(Flush());
    return goes_on_ ? cells->status() : OkStatus();
  }

  // A table of the same name that was made meanwhile has other cells, so the position is not one in
  // that table.
  Status CheckSameTable() {
    ASSIGN_OR_RETURN(cluster::TableInfo now,
                     context_.DoAdmin(cluster::calls::GetTable{info_.schema.name}));
    if (now.table_id == info_.table_id) return OkStatus();
    return NotFound(fmt::format("table {}: it was dropped and created again", info_.schema.name));
  }

  Status Give(const CellView& cell) {
    const size_t before = rows_.size();
    RETURN_IF_ERROR(view_.AddCell(cell, &rows_));
    if (rows_.size() == before) return OkStatus();
    looks_->Give(cell);
    if (is_silent_) {
      rows_.clear();
      return OkStatus();
    }
    bytes_ += cell.value.size() + cell.row.size();
    const bool is_last = ++given_ >= end_.limit;
    if (is_last || rows_.size() >= kBatchRows || bytes_ >= kBatchBytes) RETURN_IF_ERROR(Flush());
    if (is_last) goes_on_ = false;
    return OkStatus();
  }

  Status Flush() {
    bytes_ = 0;
    if (!rows_.empty()) GiveRows(context_, std::exchange(rows_, {}), &goes_on_);
    // A sink that Ctrl-C interrupted says that it has enough, too.
    return context_.CheckStop();
  }

  const StatementContext& context_;
  const cluster::TableInfo& info_;
  const TailView& view_;
  const TailEnd& end_;
  TailLooks* const looks_;
  // The first look of a TAIL that begins now only learns which of the latest cells are there
  // already.
  bool is_silent_;
  engine::StopBudget budget_;
  std::vector<Row> rows_;  // rows that the sink has not got yet
  size_t bytes_ = 0;       // size of their cells
  uint64_t given_ = 0;
  bool goes_on_ = true;
};

StatusOr<TailLooks> StoredLooks(const Value& text, uint64_t table_id, const Span& span) {
  uint64_t position_table = 0;
  std::optional<TailLooks> looks = TailLooks::FromPosition(text.bytes(), &position_table);
  if (looks && position_table == table_id) return *std::move(looks);
  const bool of_stream = DecodeTailPosition(text.bytes()).has_value();
  return ErrorAt("TOKEN_MISMATCH", span,
                 looks ? "this is a position in the changes of another table"
                 : of_stream
                     ? "this is a position in a change stream, which the table no longer has"
                     : "this is not a position in the changes of a table",
                 "FROM 'position' continues after the last TAIL, FROM time at a time");
}

StatusOr<TailLooks> StartOf(const StatementContext& context, const syntax::Tail& tail,
                            const cluster::TableInfo& info) {
  // A clock of a server may be behind ours, and writes of a moment ago may not be visible yet. So
  // TAIL without FROM begins earlier, and its first look is silent.
  if (!tail.from) return TailLooks(context.now_us - kLookBackUs);
  ASSIGN_OR_RETURN(Value from, CompileConstant(context, *tail.from));
  if (from.is_string()) return StoredLooks(from, info.table_id, tail.from->span);
  ASSIGN_OR_RETURN(int64_t start_us, CompileTime(context, *tail.from));
  return TailLooks(start_us);
}

}  // namespace

Status PollTable(const StatementContext& context, const syntax::Tail& tail,
                 const cluster::TableInfo& info, const TailView& view, const TailEnd& end) {
  ASSIGN_OR_RETURN(TailLooks looks, StartOf(context, tail, info));
  context.summary->kind = ResultKind::kRows;
  context.sink->Notice(fmt::format(
      "table {0} has no change stream: TAIL looks for new cells once a second. It does not see "
      "deletes, values overwritten between two looks, and cells written AT times before the last "
      "look. ALTER TABLE {1} SET (CHANGE_STREAM = 1d) keeps every change from then on",
      info.schema.name, QuoteName(info.schema.name)));
  context.sink->Begin(TailView::ShownColumns());
  RETURN_IF_ERROR(PollRun(context, info, view, end, &looks, !tail.from).Run());
  context.summary->next = fmt::format("FROM '{}'", looks.Position(info.table_id));
  return OkStatus();
}

}  // namespace sippar::query
