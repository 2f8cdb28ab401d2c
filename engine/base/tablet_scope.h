// The tablet on which a thread works. If the process crashes, its note of the crash names the
// tablet of the thread that crashed (cluster/api/crash_note.h). Used by one thread, and by its
// signal handlers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sippar::engine {

namespace internal {
// Volatile, because a signal handler may read it between any two instructions. In a simulation all
// fibers share it, but nobody reads it there.
inline constinit thread_local volatile uint64_t tablet_at_work = 0;
}  // namespace internal

// The id of the tablet on which this thread works; 0: it works on no tablet, or does not say so.
inline uint64_t TabletAtWork() { return internal::tablet_at_work; }

// Says that this thread works on the tablet until the scope ends, and then again on the previous
// one.
class TabletScope {
 public:
  explicit TabletScope(uint64_t tablet_id) : before_(internal::tablet_at_work) {
    internal::tablet_at_work = tablet_id;
  }
  ~TabletScope() { internal::tablet_at_work = before_; }
  TabletScope(const TabletScope&) = delete;
  TabletScope& operator=(const TabletScope&) = delete;

 private:
  const uint64_t before_;
};

}  // namespace sippar::engine
