// Runs one function on many items with a few threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <system_error>
#include <vector>

#include "engine/base/call_notes.h"
#include "engine/base/tablet_scope.h"
#include "engine/base/thread.h"

namespace sippar::engine {

// Runs work(0), ... work(count - 1) on up to `threads` threads, including the caller's, and returns
// when all calls have ended. Calls may run in any order and concurrently.
inline void RunParallel(size_t threads, size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  auto take = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i);
  };
  const CarriedTrace trace;
  auto help = [&, tablet_id = TabletAtWork()] {
    const TabletScope scope(tablet_id);
    trace.Run(take);
  };
  std::vector<Thread> others;
  for (size_t t = 1; t < std::min(threads, count); ++t) {
    try {
      others.emplace_back("sippar-parallel", help);
    } catch (const std::system_error&) {
      break;  // the process may have no more threads: those that run do the rest
    }
  }
  take();
}

}  // namespace sippar::engine
