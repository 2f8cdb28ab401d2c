// Keeps the traces of calls that a process served: one in a thousand, and all slow ones. Thread
// safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "cluster/api/call_trace_info.h"
#include "engine/base/call_notes.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "engine/base/trace_id.h"

namespace sippar::cluster {

struct TraceRules {
  uint64_t one_in = 1'000;           // 1 of `one_in` trace ids is kept; 0: only slow calls are kept
  int64_t slow_nanos = 100'000'000;  // calls that took this long or longer are kept
  int64_t kept_us = 3'600'000'000;
  size_t entries_max = 10'000;  // limit of traces, a few MB; the oldest traces are dropped
};

class CallTraces {
 public:
  // `clock` outlives this object.
  CallTraces(engine::Clock* clock, const TraceRules& rules) : clock_(clock) { SetRules(rules); }
  // The traces of all calls that this process serves, whatever its roles. Never destroyed.
  static CallTraces* OfProcess();

  // Whether the trace of a call of this id and duration is to be kept. Takes no lock.
  bool Wants(engine::TraceId id, int64_t nanos) const {
    return nanos >= slow_nanos_.load(std::memory_order_relaxed) ||
           id.IsSampled(one_in_.load(std::memory_order_relaxed));
  }
  // Sets `part` of the trace to a new random id and keeps the trace.
  void Keep(CallTraceInfo trace);
  // Returns the kept traces of calls on `table` ("": of all calls), in the order in which the calls
  // ended.
  std::vector<CallTraceInfo> List(const std::string& table);
  void SetRules(const TraceRules& rules);

 private:
  struct Kept {
    int64_t until_nanos = 0;
    CallTraceInfo trace;
  };
  void DropOld() REQUIRES(mutex_);

  engine::Clock* const clock_;
  std::atomic<uint64_t> one_in_{0};
  std::atomic<int64_t> slow_nanos_{0};
  engine::Mutex mutex_;
  TraceRules rules_ GUARDED_BY(mutex_);
  std::deque<Kept> kept_ GUARDED_BY(mutex_);
};

// Makes a trace from the notes of a call: its trace id, table, row and work.
CallTraceInfo InfoOf(const engine::CallNotes& notes);
// Adds the traces of `more` that `all` lacks: several servers in one process list the same traces.
void MergeTraces(std::vector<CallTraceInfo> more, std::vector<CallTraceInfo>* all);
// Sorts the traces by start time and keeps only the newest 10,000.
void SortTraces(std::vector<CallTraceInfo>* all);

}  // namespace sippar::cluster
