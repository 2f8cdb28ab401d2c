// Runs the pieces of a scan on a few threads and passes their batches on in the order of the
// pieces. A thread is at most `threads` pieces ahead of the reader and holds at most kQueuedMax
// batches of each piece, so memory is bounded however slow the reader is. Only one thread calls
// Drain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "engine/base/stop_signal.h"
#include "engine/base/thread.h"
#include "engine/program/run_program.h"

namespace sippar::query {

class OrderedRuns {
 public:
  static constexpr size_t kQueuedMax = 2;

  // Runs one piece; called once for each, on any of the threads.
  using RunPiece = std::function<Status(size_t piece, engine::ProgramSink* sink)>;

  // Starts `threads` threads, or fewer (even none) if the system cannot start more.
  OrderedRuns(size_t pieces, size_t threads, RunPiece run);
  ~OrderedRuns() { Stop(); }
  size_t threads() const { return threads_.size(); }

  // Passes the batches of `piece` to `sink` on the calling thread. Returns the piece's status at
  // its end, OK if the sink has enough, or the error of `stop`. Call it for the pieces in ascending
  // order.
  [[nodiscard]] Status Drain(size_t piece, engine::ProgramSink* sink,
                             const engine::StopSignal& stop = {}) EXCLUDES(mutex_);
  // Ends all runs at their next batch and waits for them. Must be called before anything that the
  // runs use is destroyed. A run that may wait long for its next batch must be cancelled first.
  void Stop() EXCLUDES(mutex_);

 private:
  struct Piece {
    std::deque<engine::ProgramBatch> batches;
    bool ended = false;
    Status status;
  };
  class Feed;

  void Work() EXCLUDES(mutex_);
  bool Push(size_t piece, engine::ProgramBatch batch) EXCLUDES(mutex_);

  const size_t window_;  // number of pieces, from drained_ on, that threads may begin
  const RunPiece run_;
  engine::Mutex mutex_;
  engine::CondVar changed_;
  std::vector<Piece> pieces_ GUARDED_BY(mutex_);
  size_t next_ GUARDED_BY(mutex_) = 0;     // the first piece that no thread has begun
  size_t drained_ GUARDED_BY(mutex_) = 0;  // piece that Drain is reading
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<engine::Thread> threads_;
};

}  // namespace sippar::query
