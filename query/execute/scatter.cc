// Several tablets are read concurrently, but their rows are passed on in key order
// (ordered_runs.h). With a LIMIT tablets are read one after another, so that reading can end once
// the limit is reached.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/scatter.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "query/analyze/compile.h"
#include "query/execute/ordered_runs.h"
#include "query/execute/row_overlay.h"
#include "query/execute/scan_share.h"
#include "query/execute/transaction.h"

namespace sippar::query {
namespace {

using engine::Program;
using engine::RowRange;
using engine::RowSet;

// A range of rows that is read in one run, from one tablet or from the open transaction.
struct Piece {
  RowRange range;
  bool in_transaction = false;
};

// One piece for each tablet that has wanted rows. The row of the transaction becomes a piece of its
// own: this process reads it together with the writes that the tablet does not have yet.
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

// Estimates how much of a scan is done. Asks for tablet sizes and the last key only after the scan
// has run for a while: a short scan must not pay for progress that is never shown.
class ShareEstimate {
 public:
  ShareEstimate(const StatementContext& context, std::string table, const Program& program,
                const std::vector<Piece>& pieces)
      : context_(context),
        table_(std::move(table)),
        program_(program),
        pieces_(pieces),
        begun_nanos_(context.client()->clock()->MonotonicNanos()) {}

  // Returns the share of the scan that is done after `piece` was read up to `last_row`. The share
  // is below 0 while it is not known.
  double At(size_t piece, const std::string& last_row) {
    if (first_row_.empty()) first_row_ = last_row;
    if (share_ == nullptr && !is_asked_) {
      int64_t now = context_.client()->clock()->MonotonicNanos();
      if (now - begun_nanos_ < kAskAfterNanos) return -1;
      is_asked_ = true;
      Ask();
    }
    return share_ == nullptr ? -1 : share_->At(piece, last_row);
  }

 private:
  static constexpr int64_t kAskAfterNanos = 300'000'000;  // 300 ms

  void Ask() {
    auto tablets = context_.DoData(cluster::calls::ListTablets{table_});
    if (!tablets.ok()) return;
    std::vector<ScanPiece> pieces;
    for (const Piece& piece : pieces_) {
      RowSet rows = program_.read.rows.Intersection(RowSet(piece.range));
      const std::vector<RowRange>& ranges = rows.ranges();
      ScanPiece& each = pieces.emplace_back();
      if (!ranges.empty()) each.range = {ranges.front().start, ranges.back().limit};
      for (const cluster::TabletInfo& tablet : *tablets) {
        if (!tablet.range.Contains(piece.range.start)) continue;
        each.bytes = piece.in_transaction ? 0 : tablet.stored_bytes + tablet.memtable_bytes;
      }
    }
    // The first tablet begins at "" and the last tablet has no end, so these bounds do not tell
    // where the keys are. The scan's first row and the table's last row are used in place of these
    // bounds.
    ScanPiece& lowest = program_.read.reverse ? pieces.back() : pieces.front();
    ScanPiece& highest = program_.read.reverse ? pieces.front() : pieces.back();
    bool knows_first = lowest.range.start.empty() && !program_.read.reverse;
    if (knows_first) lowest.range.start = first_row_;
    if (highest.range.limit.empty()) highest.range.limit = LastRow(highest.range);
    share_ = std::make_unique<ScanShare>(std::move(pieces), program_.read.reverse);
  }

  std::string LastRow(const RowRange& range) const {
    engine::ReadSpec last;
    last.rows = RowSet(range);
    last.reverse = true;
    last.keys_only = true;
    auto cells = context_.client()->data()->Read(table_, last, context_.CallOptions());
    if (!cells.ok() || !(*cells)->Valid()) return "";
    return std::string((*cells)->cell().row);
  }

  const StatementContext& context_;
  const std::string table_;
  const Program& program_;
  const std::vector<Piece>& pieces_;
  const int64_t begun_nanos_;
  bool is_asked_ = false;
  std::string first_row_;
  std::unique_ptr<ScanShare> share_;
};

// Passes the batches of all pieces to the handler, counts them, and reports progress.
class Sink final : public engine::ProgramSink {
 public:
  Sink(const StatementContext& context, const BatchHandler& handler, ShareEstimate* share)
      : context_(context), handler_(handler), share_(share) {}

  bool Emit(engine::ProgramBatch batch) override {
    SessionState* session = context_.session;
    session->rows_read += batch.rows_seen;
    session->cells_read += batch.cells_seen;
    passed_ += batch.rows.size();
    if (!batch.last_row.empty()) last_row_ = std::move(batch.last_row);
    if (!batch.rows.empty()) {
      // Emit can only say that the sink has enough, so status_ keeps an error of the handler; the
      // callers return it.
      auto more = handler_(std::move(batch.rows));
      status_ = more.status();
      enough_ = !more.ok() || !*more;
    }
    Report();
    return !enough_;
  }
  void EndPiece() {
    ++context_.session->tablets_done;
    ++piece_;
    last_row_.clear();
    Report();
  }

  uint64_t passed() const { return passed_; }
  bool enough() const { return enough_; }
  const Status& status() const { return status_; }

 private:
  void Report() {
    const SessionState& session = *context_.session;
    context_.sink->OnProgress({session.tablets_done.load(), session.tablets.load(),
                               session.rows_read.load(), session.cells_read.load(),
                               share_->At(piece_, last_row_)});
  }

  const StatementContext& context_;
  const BatchHandler& handler_;
  ShareEstimate* share_;
  size_t piece_ = 0;
  std::string last_row_;  // the last row read completely in the current piece
  uint64_t passed_ = 0;
  bool enough_ = false;
  Status status_;
};

Status RunInTransaction(const StatementContext& context, const Program& program, Sink* sink) {
  Program local = program;
  local.read.rows = RowSet(RowRange::Single(context.session->transaction->row));
  ASSIGN_OR_RETURN(std::vector<engine::Cell> cells, ReadTransactionRow(context, local.read));
  ASSIGN_OR_RETURN(auto stream, ReadCells(local.read, std::move(cells)));
  engine::RunLimits limits{context.stop.cancel, context.stop.clock, context.stop.deadline_nanos};
  return engine::RunProgram(local, stream.get(), limits, sink);
}

// True if the program has a limit and neither sorts nor aggregates: the limit then counts the rows
// of all tablets.
bool IsLimited(const Program& program) {
  return program.limit != 0 && program.order_by.empty() && !program.aggregate;
}

// The number of tablets to read concurrently, at most `wanted` if that is not 0. It is 1 with a
// LIMIT, since the first tablet may have enough rows, and for a few single rows, since a thread
// costs more than their read. It is at most 2 if the run on each tablet may hold 256 MiB of groups
// or sorted rows, to bound the memory.
size_t ThreadsFor(const Program& program, size_t pieces, size_t wanted) {
  constexpr size_t kHoldingRows = 2;
  constexpr size_t kDefault = 4;
  constexpr size_t kPointsMax = 64;
  const std::vector<RowRange>& ranges = program.read.rows.ranges();
  bool few_rows = ranges.size() <= kPointsMax &&
                  std::all_of(ranges.begin(), ranges.end(), [](const RowRange& range) {
                    return range == RowRange::Single(range.start);
                  });
  if (IsLimited(program) || few_rows) return 1;
  bool holds_rows = !program.order_by.empty() || !program.group_by.empty();
  size_t threads = wanted == 0 ? kDefault : wanted;
  if (holds_rows) threads = std::min(threads, kHoldingRows);
  return std::min(pieces, threads);
}

Status RunInTurn(const StatementContext& context, const std::string& table, const Program& program,
                 const std::vector<Piece>& pieces, Sink* sink) {
  Program part = program;
  for (const Piece& piece : pieces) {
    if (IsLimited(program)) part.limit = program.limit - sink->passed();
    Status status =
        piece.in_transaction
            ? RunInTransaction(context, part, sink)
            : context.client()->data()->Run(table, piece.range, part, context.CallOptions(), sink);
    // The handler's error comes first: `status` is OK if the run ended because the sink had enough.
    RETURN_IF_ERROR(sink->status());
    if (!status.ok()) return WithQueryCode(status);
    sink->EndPiece();
    if (sink->enough() || (IsLimited(program) && sink->passed() >= program.limit)) break;
  }
  return OkStatus();
}

Status DrainInTurn(const StatementContext& context, const Program& program,
                   const std::vector<Piece>& pieces, OrderedRuns* runs, Sink* sink) {
  for (size_t i = 0; i < pieces.size() && !sink->enough(); ++i) {
    Status status = pieces[i].in_transaction ? RunInTransaction(context, program, sink)
                                             : runs->Drain(i, sink, context.stop);
    RETURN_IF_ERROR(sink->status());
    if (!status.ok()) return WithQueryCode(status);
    sink->EndPiece();
  }
  return OkStatus();
}

Status RunTogether(const StatementContext& context, const std::string& table,
                   const Program& program, const std::vector<Piece>& pieces, size_t threads,
                   Sink* sink) {
  std::vector<engine::ReadCounters> counters(pieces.size());
  // Cancels the runs. It is set when the answer is complete or the statement ends: a run that waits
  // for an unserved tablet or a silent server must not delay the statement.
  auto ended = std::make_shared<std::atomic<bool>>(false);
  OrderedRuns runs(pieces.size(), threads, [&](size_t i, engine::ProgramSink* batches) {
    // DrainInTurn reads this row on the statement's own thread: only that thread may use the
    // transaction's writes.
    if (pieces[i].in_transaction) return OkStatus();
    cluster::CallOptions options = context.CallOptions();
    options.counters = &counters[i];
    options.cancel = ended;
    return context.client()->data()->Run(table, pieces[i].range, program, options, batches);
  });
  if (runs.threads() == 0) return RunInTurn(context, table, program, pieces, sink);
  Status status = DrainInTurn(context, program, pieces, &runs, sink);
  ended->store(true);
  runs.Stop();
  for (const engine::ReadCounters& each : counters) context.session->read_counters.Add(each);
  return status;
}

}  // namespace

Status RunOnTablets(const StatementContext& context, const std::string& table,
                    const Program& program, const BatchHandler& handler) {
  if (program.source == Program::kEntries) {
    RETURN_IF_ERROR(CheckNoTransaction(context, "WITH DELETES"));
  }
  if (program.read.rows.IsEmpty()) return OkStatus();
  ASSIGN_OR_RETURN(std::vector<RowRange> tablets,
                   context.DoData(cluster::calls::TabletRanges{table}));
  std::vector<Piece> pieces = CutPieces(tablets, program, TransactionOn(context, table));
  context.session->tablets += pieces.size();
  ShareEstimate share(context, table, program, pieces);
  Sink sink(context, handler, &share);
  size_t threads = ThreadsFor(program, pieces.size(), context.tablets_max);
  return threads > 1 ? RunTogether(context, table, program, pieces, threads, &sink)
                     : RunInTurn(context, table, program, pieces, &sink);
}

}  // namespace sippar::query
