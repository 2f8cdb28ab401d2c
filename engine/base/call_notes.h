// What is noted about the call that a thread serves: where its time goes, and what it is about. The
// server of the call makes the notes current (CallNotesScope), and the places that the call passes
// write into them. Without current notes, as in embedded use, such a place costs one test of a
// pointer. Used by one thread. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/base/trace_id.h"

namespace sippar::engine {

// The first bytes of a text, in a place of fixed size: setting it allocates nothing.
template <size_t kSizeMax>
class CutText {
 public:
  void Set(std::string_view text) {
    size_ = std::min(text.size(), kSizeMax);
    if (size_ > 0) std::memcpy(bytes_.data(), text.data(), size_);
  }
  std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, kSizeMax> bytes_;  // without a value beyond size_
  size_t size_ = 0;
};

struct CallNotes {
  TraceId trace;
  // Nanoseconds; 0 for what did not happen.
  int64_t row_lock_nanos = 0;  // waiting for the locks of rows
  int64_t log_nanos = 0;       // in the commit log, the sync included
  int64_t sync_nanos = 0;      // of the group's write and sync, of a log that syncs
  int64_t cache_nanos = 0;     // decoding blocks that came from disk and giving them to the cache
  int64_t disk_nanos = 0;      // reading blocks from files
  uint64_t blocks_from_disk = 0;
  uint64_t blocks_cached = 0;
  uint64_t cells_returned = 0;
  StatusCode stream_end = StatusCode::kOk;  // of a stream, whose end is a message of its own
  CutText<64> table = {};                   // these two: the first ones that were named
  CutText<64> row = {};

  // Keeps the first table and row.
  void About(std::string_view of_table, std::string_view first_row) {
    if (!table.text().empty()) return;
    table.Set(of_table);
    row.Set(first_row);
  }
};

namespace internal {
// Fibers of the simulator would share it, but none of them serves calls from other processes, so it
// is null there.
inline constinit thread_local CallNotes* current_call_notes = nullptr;
}  // namespace internal

// Null: this thread serves no call that is noted.
inline CallNotes* CurrentCallNotes() { return internal::current_call_notes; }

// Makes `notes` current on this thread until the scope ends; then those that were before.
class CallNotesScope {
 public:
  explicit CallNotesScope(CallNotes* notes) : before_(internal::current_call_notes) {
    internal::current_call_notes = notes;
  }
  ~CallNotesScope() { internal::current_call_notes = before_; }
  CallNotesScope(const CallNotesScope&) = delete;
  CallNotesScope& operator=(const CallNotesScope&) = delete;

 private:
  CallNotes* const before_;
};

// Takes the trace of the call that this thread serves to threads that help it. Their times and what
// else they note is dropped: it would count twice, beside what their helped thread waits.
class CarriedTrace {
 public:
  CarriedTrace() : trace_(CurrentCallNotes() == nullptr ? TraceId{} : CurrentCallNotes()->trace) {}
  // On a helping thread: calls `work` as a part of that trace.
  template <class Work>
  void Run(const Work& work) const {
    CallNotes notes;
    notes.trace = trace_;
    CallNotesScope scope(trace_.is_none() ? nullptr : &notes);
    work();
  }

 private:
  const TraceId trace_;
};

// Adds the time from its construction to its end to a field of the current notes.
class StageTimer {
 public:
  explicit StageTimer(int64_t CallNotes::*stage) : notes_(CurrentCallNotes()), stage_(stage) {
    if (notes_ != nullptr) start_nanos_ = Clock::System()->MonotonicNanos();
  }
  ~StageTimer() {
    if (notes_ != nullptr) {
      notes_->*stage_ += Clock::System()->MonotonicNanos() - start_nanos_;
    }
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  CallNotes* const notes_;
  int64_t CallNotes::*const stage_;
  int64_t start_nanos_ = 0;
};

}  // namespace sippar::engine
