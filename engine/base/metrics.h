// Named counters of one server, read by SHOW METRICS and tests. Thread safe. Adding is lock-free;
// looking a counter up takes a lock, so callers keep the pointer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/thread.h"

namespace sippar::engine {

class Counter {
 public:
  void Add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

class Metrics {
 public:
  // The counter with this name, created at first use. The pointer stays valid as long as this
  // object.
  Counter* Get(const std::string& name);
  // One line "name value" for each counter, sorted by name.
  std::string Dump();
  std::map<std::string, uint64_t> Snapshot();

 private:
  Mutex mutex_;
  std::map<std::string, Counter> counters_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
