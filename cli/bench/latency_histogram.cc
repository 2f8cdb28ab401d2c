// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sippar::cli {

// Each value below kSubBuckets has its own bucket. The bucket of a larger value depends on the
// number of its bits and on the leading kSubBits + 1 of them.
size_t LatencyHistogram::BucketOf(uint64_t nanos) {
  if (nanos < kSubBuckets) return nanos;
  auto shift = static_cast<uint64_t>(std::bit_width(nanos) - kSubBits - 1);
  return (shift + 1) * kSubBuckets + ((nanos >> shift) - kSubBuckets);
}

double LatencyHistogram::MiddleOf(size_t bucket) {
  if (bucket < kSubBuckets) return static_cast<double>(bucket);
  auto shift = static_cast<int>(bucket / kSubBuckets) - 1;
  return std::ldexp(static_cast<double>(kSubBuckets + bucket % kSubBuckets) + 0.5, shift);
}

void LatencyHistogram::Add(int64_t nanos) {
  ++counts_[BucketOf(static_cast<uint64_t>(std::max<int64_t>(nanos, 0)))];
  ++count_;
}

void LatencyHistogram::Merge(const LatencyHistogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
}

double LatencyHistogram::Micros(double share) const {
  auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (counts_[i] > 0 && seen >= wanted) return MiddleOf(i) / 1000;
  }
  return 0;
}

}  // namespace sippar::cli
