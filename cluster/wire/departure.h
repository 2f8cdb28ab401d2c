// How a member leaves the store that it serves, so that the processes that it served go on with the
// next one: it knows what is being served, begins no more of it, and ends it. Thread safe.
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
  // Ends everything in order. No change that must not be repeated begins any more, and its caller
  // learns that nothing was done; those that run are finished. Streams may go on for 0.3 s and are
  // then cut, if possible at the end of a row. Returns at once if no call has come.
  void Leave();

  // Number of calls so far, without streams of changes.
  uint64_t calls_begun() const { return calls_begun_; }
  void CountCall() { ++calls_begun_; }
  // Of calls that must not be repeated.
  CallGate* changes() { return &changes_; }

  // What the caller of a call hears that does not begin.
  static Status Refusal();

  // A stream while it is served.
  class Stream {
   public:
    enum Kind : uint8_t { kEnds, kEndless };
    Stream(Departure* departure, std::shared_ptr<net::ServerCall> call, Kind kind);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    const Status& begun() const { return begun_; }  // an error: it may not begin
    // The stream is to end where its reader can go on at the next member.
    bool is_cut() const { return departure_->is_cutting_.load(std::memory_order_relaxed); }
    // What the reader of a stream hears that was cut.
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
  CallGate streams_;  // that end by themselves
  std::atomic<bool> is_leaving_{false}, is_cutting_{false};
  std::atomic<uint64_t> calls_begun_{0};
  engine::Mutex mutex_;
  std::unordered_set<std::shared_ptr<net::ServerCall>> open_ GUARDED_BY(mutex_);  // streams
  bool is_over_ GUARDED_BY(mutex_) = false;  // no stream begins any more
};

}  // namespace sippar::cluster
