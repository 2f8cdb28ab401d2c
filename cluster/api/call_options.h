// CallOptions: how long a caller waits for a call, and how the caller ends the call early. Plain
// data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/model/read_counters.h"

namespace sippar::cluster {

// A flag that a caller shares with the calls it started. The caller sets it once; scans check it
// between rows and cells, calls on many tablets between tablets.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

struct CallOptions {
  CancelFlag cancel;       // null: the call cannot be cancelled
  int64_t timeout_us = 0;  // time from the start of the call; 0: no limit
  // A read adds its counters here when its call or stream ends. May be null; must outlive the
  // stream.
  engine::ReadCounters* counters = nullptr;
  // Makes a read of a tablet fail with kUnavailable where it would wait for a disk. Its caller then
  // repeats the read on a thread that may wait. Only for calls within one process.
  bool from_memory = false;

  bool is_cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

}  // namespace sippar::cluster
