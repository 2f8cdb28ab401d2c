// LatencyHistogram: durations of calls, counted in buckets whose width is at most 1/64 of their
// value (log-linear, like HdrHistogram). Percentiles are therefore within 1.6 %, and two histograms
// merge by addition. Not thread safe: each thread has its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sippar::cli {

class LatencyHistogram {
 public:
  void Add(int64_t nanos);
  void Merge(const LatencyHistogram& other);
  uint64_t count() const { return count_; }
  // The time in microseconds within which `share` (0 .. 1) of the calls ended; 0 if there are none.
  double Micros(double share) const;

 private:
  static constexpr int kSubBits = 6;
  static constexpr uint64_t kSubBuckets = 1 << kSubBits;
  static constexpr size_t kBuckets = (64 - kSubBits + 1) * kSubBuckets;

  static size_t BucketOf(uint64_t nanos);
  static double MiddleOf(size_t bucket);

  std::array<uint64_t, kBuckets> counts_{};
  uint64_t count_ = 0;
};

}  // namespace sippar::cli
