// A sample of the rows of a tablet's latest calls. A split by load chooses its row from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/thread.h"

namespace sippar::cluster {

// Chooses the row that leaves about half of `rows` on each side. `rows` is in any order and
// contains each row as often as it was called. nullopt: `rows` has too few rows to decide, or a
// single row gets so many of the calls that no cut helps.
std::optional<std::string> ChooseLoadMiddle(std::vector<std::string> rows);

// Thread safe. Each call costs one addition; one call in kEvery also takes a lock.
class LoadSample {
 public:
  static constexpr uint64_t kEvery = 64;
  static constexpr size_t kRows = 128;

  // Counts `calls` calls or written rows. `row`: the row of the first one.
  void Add(uint64_t calls, const std::string& row) {
    uint64_t before = calls_.fetch_add(calls, std::memory_order_relaxed);
    if (before / kEvery != (before + calls) / kEvery) Keep(row);
  }
  // Returns the row to split at. `start`: the tablet's first row. A scan that began before `start`
  // counts as a call of the row `start`.
  std::optional<std::string> MiddleRow(const std::string& start) const;

 private:
  void Keep(const std::string& row);

  std::atomic<uint64_t> calls_{0};
  mutable engine::Mutex mutex_;
  std::vector<std::string> rows_ GUARDED_BY(mutex_);
  size_t oldest_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::cluster
