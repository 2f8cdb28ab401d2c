// Notes about the call that a thread serves: where its time goes, and which table and row it names.
// The server of the call makes the notes current (CallNotesScope), and the code that the call runs
// through writes into them. Without current notes, as in embedded use, that code only tests a
// pointer for null. Used by one thread.
// SPDX-License-Identifier: Apache-2.0
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

// The first kSizeMax bytes of a text, stored inline, so that Set allocates no memory.
template <size_t kSizeMax>
class CutText {
 public:
  void Set(std::string_view text) {
    size_ = std::min(text.size(), kSizeMax);
    if (size_ > 0) std::memcpy(bytes_.data(), text.data(), size_);
  }
  std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, kSizeMax> bytes_;  // bytes of the text, of which only the first size_ are set
  size_t size_ = 0;
};

struct CallNotes {
  TraceId trace;
  // Durations in nanoseconds; 0 for a stage that the call did not reach.
  int64_t row_lock_nanos = 0;  // waiting for the locks of rows
  int64_t log_nanos = 0;       // time in the commit log, including the sync
  int64_t sync_nanos = 0;      // write and sync of the call's group, in a log that syncs
  int64_t cache_nanos = 0;     // decoding blocks read from disk and inserting them into the cache
  int64_t disk_nanos = 0;      // reading blocks from files
  uint64_t blocks_from_disk = 0;
  uint64_t blocks_cached = 0;
  uint64_t cells_returned = 0;
  StatusCode stream_end = StatusCode::kOk;  // outcome sent at the end of a stream
  CutText<64> table = {};                   // the first table and row that the call names
  CutText<64> row = {};

  // Keeps the first table and row.
  void About(std::string_view of_table, std::string_view first_row) {
    if (!table.text().empty()) return;
    table.Set(of_table);
    row.Set(first_row);
  }
};

namespace internal {
// In a simulation all fibers share this pointer, but none of them serves calls from other
// processes, so it is null there.
inline constinit thread_local CallNotes* current_call_notes = nullptr;
}  // namespace internal

// The notes of the call that this thread serves; null if it keeps no notes.
inline CallNotes* CurrentCallNotes() { return internal::current_call_notes; }

// Makes `notes` current on this thread until the scope ends, then restores the previous notes.
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

// Passes the trace of the call that this thread serves on to helping threads. Everything else that
// a helping thread notes is dropped: the duration of the call includes the time of that thread.
class CarriedTrace {
 public:
  CarriedTrace() : trace_(CurrentCallNotes() == nullptr ? TraceId{} : CurrentCallNotes()->trace) {}
  // Called on a helping thread: runs `work` as a part of the trace.
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

// Adds the time between its construction and destruction to a field of the current notes.
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
