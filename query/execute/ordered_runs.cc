// SPDX-License-Identifier: Apache-2.0
#include "query/execute/ordered_runs.h"

#include <optional>
#include <system_error>
#include <utility>

namespace sippar::query {

using engine::MutexLock;
using engine::ProgramBatch;

// Drain asks its StopSignal at least this often while it waits for a batch.
constexpr int64_t kStopCheckUs = 20'000;

// The sink of one piece. It passes each batch to Push together with the number of the piece, which
// the batch itself does not contain.
class OrderedRuns::Feed final : public engine::ProgramSink {
 public:
  Feed(OrderedRuns* runs, size_t piece) : runs_(runs), piece_(piece) {}
  bool Emit(ProgramBatch batch) override { return runs_->Push(piece_, std::move(batch)); }

 private:
  OrderedRuns* const runs_;
  const size_t piece_;
};

OrderedRuns::OrderedRuns(size_t pieces, size_t threads, RunPiece run)
    : window_(threads), run_(std::move(run)), pieces_(pieces) {
  try {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back("scatter", [this] { Work(); });
  } catch (const std::system_error&) {  // no more threads can be started; fewer suffice
  }
}

// Joins threads without holding mutex_: a thread that waits in Push needs the mutex to see
// stopping_.
void OrderedRuns::Stop() {
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  for (engine::Thread& thread : threads_) thread.Join();
  threads_.clear();
}

void OrderedRuns::Work() {
  for (;;) {
    size_t piece = 0;
    {
      MutexLock lock(&mutex_);
      // The window keeps threads near the reader. Without it they would begin pieces whose rows
      // wait in memory until the reader comes to them.
      while (!stopping_ && next_ < pieces_.size() && next_ >= drained_ + window_) {
        changed_.Wait(&mutex_);
      }
      if (stopping_ || next_ >= pieces_.size()) return;
      piece = next_++;
    }
    Feed feed(this, piece);
    Status status = run_(piece, &feed);
    MutexLock lock(&mutex_);
    pieces_[piece].status = std::move(status);
    // `ended` is set while batches of the piece may still be in its queue, so Drain returns the
    // status only when the queue is empty.
    pieces_[piece].ended = true;
    changed_.NotifyAll();
  }
}

bool OrderedRuns::Push(size_t piece, ProgramBatch batch) {
  MutexLock lock(&mutex_);
  std::deque<ProgramBatch>& batches = pieces_[piece].batches;
  // A batch without rows only reports progress. It is merged into the previous batch, so that a
  // thread that finds few rows need not wait while the reader is at another piece.
  if (batch.rows.empty() && !batches.empty()) {
    ProgramBatch& last = batches.back();
    last.rows_seen += batch.rows_seen;
    last.cells_seen += batch.cells_seen;
    if (!batch.last_row.empty()) last.last_row = std::move(batch.last_row);
    return !stopping_;
  }
  while (!stopping_ && batches.size() >= kQueuedMax) changed_.Wait(&mutex_);
  if (stopping_) return false;
  batches.push_back(std::move(batch));
  changed_.NotifyAll();
  return true;
}

Status OrderedRuns::Drain(size_t piece, engine::ProgramSink* sink, const engine::StopSignal& stop) {
  for (;;) {
    ProgramBatch batch;
    {
      MutexLock lock(&mutex_);
      // The reader has reached another piece, so threads that wait in Work may begin further
      // pieces.
      if (drained_ != piece) {
        drained_ = piece;
        changed_.NotifyAll();
      }
      Piece& from = pieces_[piece];
      while (from.batches.empty() && !from.ended) {
        RETURN_IF_ERROR(stop.Check());
        changed_.WaitFor(&mutex_, kStopCheckUs);
      }
      if (from.batches.empty()) return from.status;
      batch = std::move(from.batches.front());
      from.batches.pop_front();
      changed_.NotifyAll();
    }
    // Emits without the lock: the sink may show the rows to a user, and the threads must continue
    // to read during that time.
    if (!sink->Emit(std::move(batch))) return OkStatus();
  }
}

}  // namespace sippar::query
