// Fan-out over tablets, one after another: results stream in key order and stop early.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/scatter.h"

#include <algorithm>

#include "query/analyze/compile.h"
#include "query/execute/row_overlay.h"
#include "query/execute/transaction.h"

namespace sippar::query {
namespace {

using engine::Program;
using engine::RowRange;
using engine::RowSet;

class Sink final : public engine::ProgramSink {
 public:
  Sink(const StatementContext& context, const BatchHandler& handler)
      : context_(context), handler_(handler) {}

  bool Emit(engine::ProgramBatch batch) override {
    SessionState* session = context_.session;
    session->rows_read += batch.rows_seen;
    session->cells_read += batch.cells_seen;
    passed_ += batch.rows.size();
    if (!batch.rows.empty()) {
      auto more = handler_(std::move(batch.rows));
      status_ = more.status();
      enough_ = !more.ok() || !*more;
    }
    Report();
    return !enough_;
  }
  void Report() const {
    const SessionState& session = *context_.session;
    context_.sink->OnProgress({session.tablets_done.load(), session.tablets.load(),
                               session.rows_read.load(), session.cells_read.load()});
  }

  uint64_t passed() const { return passed_; }
  bool enough() const { return enough_; }
  const Status& status() const { return status_; }

 private:
  const StatementContext& context_;
  const BatchHandler& handler_;
  uint64_t passed_ = 0;
  bool enough_ = false;
  Status status_;
};

// A stretch of rows, from one tablet or from the open transaction.
struct Piece {
  RowRange range;
  bool in_transaction = false;
};

// Cuts the transaction's row out of the tablets' ranges.
std::vector<Piece> CutPieces(const std::vector<RowRange>& tablets, const Program& program,
                             const RowTransaction* transaction) {
  std::vector<Piece> pieces;
  for (const RowRange& tablet : tablets) {
    if (program.read.rows.Intersection(RowSet(tablet)).IsEmpty()) continue;
    bool inside = transaction != nullptr && tablet.Contains(transaction->row) &&
                  program.read.rows.Contains(transaction->row);
    if (!inside) {
      pieces.push_back({tablet});
      continue;
    }
    RowRange before{tablet.start, transaction->row};
    RowRange after{engine::RowSuccessor(transaction->row), tablet.limit};
    if (!before.IsEmpty()) pieces.push_back({before});
    pieces.push_back({RowRange::Single(transaction->row), true});
    if (!after.IsEmpty()) pieces.push_back({after});
  }
  if (program.read.reverse) std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

Status RunInTransaction(const StatementContext& context, const Program& program, Sink* sink) {
  Program local = program;
  local.read.rows = RowSet(RowRange::Single(context.session->transaction->row));
  ASSIGN_OR_RETURN(std::vector<engine::Cell> cells, ReadTransactionRow(context, local.read));
  ASSIGN_OR_RETURN(auto stream, ReadCells(local.read, std::move(cells)));
  engine::RunLimits limits;
  limits.cancel = context.session->cancel.get();
  return engine::RunProgram(local, stream.get(), limits, sink);
}

}  // namespace

Status RunOnTablets(const StatementContext& context, const std::string& table,
                    const Program& program, const BatchHandler& handler) {
  if (program.read.rows.IsEmpty()) return OkStatus();
  ASSIGN_OR_RETURN(std::vector<RowRange> tablets, context.client()->data()->TabletRanges(table));
  std::vector<Piece> pieces = CutPieces(tablets, program, TransactionOn(context, table));
  SessionState* session = context.session;
  session->tablets += pieces.size();
  Sink sink(context, handler);
  Program part = program;
  for (const Piece& piece : pieces) {
    bool limited = program.limit != 0 && program.order_by.empty() && !program.aggregate;
    if (limited) part.limit = program.limit - sink.passed();
    Status status =
        piece.in_transaction
            ? RunInTransaction(context, part, &sink)
            : context.client()->data()->Run(table, piece.range, part, context.CallOptions(), &sink);
    RETURN_IF_ERROR(sink.status());
    if (!status.ok()) return WithQueryCode(status);
    ++session->tablets_done;
    sink.Report();
    if (sink.enough() || (limited && sink.passed() >= program.limit)) break;
  }
  return OkStatus();
}

}  // namespace sippar::query
