// Which rows of a tablet its calls are for: some of the latest, from which a split by load takes
// its row. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/thread.h"

namespace sippar::cluster {

// The row that leaves about half of `rows` (any order, repeated as they were called) on each side;
// none when there are too few to tell, or one row has so many of them that no cut helps.
std::optional<std::string> ChooseLoadMiddle(std::vector<std::string> rows);

// Thread safe. Costs a call one addition, and one call in kEvery a lock.
class LoadSample {
 public:
  static constexpr uint64_t kEvery = 64;
  static constexpr size_t kRows = 128;

  // So many calls, or rows written, the first of them `row`.
  void Add(uint64_t calls, const std::string& row) {
    uint64_t before = calls_.fetch_add(calls, std::memory_order_relaxed);
    if (before / kEvery != (before + calls) / kEvery) Keep(row);
  }
  // `start`: the first row of the tablet, where scans begin that began before it.
  std::optional<std::string> MiddleRow(const std::string& start) const;

 private:
  void Keep(const std::string& row);

  std::atomic<uint64_t> calls_{0};
  mutable engine::Mutex mutex_;
  std::vector<std::string> rows_ GUARDED_BY(mutex_);
  size_t oldest_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::cluster
