// Decides whether a sync is slow compared with the previous ones (paper section 6: two log
// writers), as plain arithmetic. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace sippar::engine {

class SyncHistory {
 public:
  void Add(int64_t micros) { times_[added_++ % times_.size()] = micros; }

  // The median duration of the last syncs; 0 when there was none.
  int64_t MedianMicros() const {
    size_t count = std::min(added_, times_.size());
    if (count == 0) return 0;
    std::array<int64_t, kKept> sorted = times_;
    auto middle = sorted.begin() + static_cast<ptrdiff_t>(count / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<ptrdiff_t>(count));
    return *middle;
  }

  // A sync that takes longer than this is slow. The floor keeps short delays of a fast disk from
  // starting a new segment each time. If the disk is slow at every sync, the median rises, and
  // CommitLog stops switching segments.
  int64_t SlowMicros() const { return std::max(kFloorMicros, 8 * MedianMicros()); }

  static constexpr int64_t kFloorMicros = 50'000;

 private:
  static constexpr size_t kKept = 31;
  std::array<int64_t, kKept> times_{};
  size_t added_ = 0;
};

}  // namespace sippar::engine
