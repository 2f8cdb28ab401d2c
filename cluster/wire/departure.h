// Ends the work of a process that is about to give up the store that it serves, so that its clients
// can continue with the store's next process. The Departure counts the calls and streams that run,
// refuses new streams and new calls that must not be repeated, and ends the streams that are left.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_set>

#include "cluster/net/server_call.h"
#include "cluster/wire/call_gate.h"

namespace sippar::cluster {

class Departure {
 public:
  // Ends all work but calls that are safe to repeat, in this order: reads, runs of programs and
  // calls that must not be repeated are refused from now on, and their callers learn that nothing
  // was done. Streams have 0.3 s to end by themselves; then they are cut, if possible at the end of
  // a row. Calls that must not be repeated and already run are finished, for at most 30 s. Returns
  // at once if no call has come.
  void Leave();

  // Number of calls so far; streams of changes are not counted.
  uint64_t calls_begun() const { return calls_begun_; }
  void CountCall() { ++calls_begun_; }
  // The gate of the calls that must not be repeated.
  CallGate* changes() { return &changes_; }

  // The error for a call that was refused.
  static Status Refusal();

  // Registers a stream while it is served.
  class Stream {
   public:
    enum Kind : uint8_t { kEnds, kEndless };
    Stream(Departure* departure, std::shared_ptr<net::ServerCall> call, Kind kind);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    const Status& begun() const { return begun_; }  // not OK: the stream may not begin
    // True: the stream shall end at the next place where its reader can continue at another
    // process.
    bool is_cut() const { return departure_->is_cutting_.load(std::memory_order_relaxed); }
    // The error for the reader of a stream that was cut.
    static Status Cut();

   private:
    Departure* const departure_;
    const std::shared_ptr<net::ServerCall> call_;
    const bool is_endless_;
    Status begun_;
  };

 private:
  void CutStreams();

  CallGate changes_;
  CallGate streams_;  // gate of the streams that end by themselves
  std::atomic<bool> is_leaving_{false}, is_cutting_{false};
  std::atomic<uint64_t> calls_begun_{0};
  engine::Mutex mutex_;
  std::unordered_set<std::shared_ptr<net::ServerCall>> open_ GUARDED_BY(mutex_);  // open streams
  bool is_over_ GUARDED_BY(mutex_) = false;  // true: no stream may begin
};

}  // namespace sippar::cluster
