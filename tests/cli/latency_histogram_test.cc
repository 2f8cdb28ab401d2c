// Percentiles of the benchmark's histogram against sorted values.
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/base/random.h"

namespace sippar::cli {
namespace {

TEST(LatencyHistogramTest, PercentilesAreWithinTheWidthOfABucket) {
  engine::Random random(7);
  LatencyHistogram first, second;
  std::vector<double> micros;
  for (int i = 0; i < 100'000; ++i) {
    // From 1 ns to 1 s, each magnitude as likely.
    auto nanos = static_cast<int64_t>((random.Next() >> 34) >> random.Uniform(30));
    (i % 2 == 0 ? first : second).Add(nanos);
    micros.push_back(static_cast<double>(nanos) / 1000);
  }
  first.Merge(second);
  EXPECT_EQ(first.count(), micros.size());
  std::sort(micros.begin(), micros.end());
  for (double share : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    auto rank = static_cast<size_t>(share * static_cast<double>(micros.size()));
    double exact = micros[rank - 1];
    EXPECT_NEAR(first.Micros(share), exact, exact / 64 + 0.001) << share;
  }
}

TEST(LatencyHistogramTest, EmptyAndExtremeValues) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.Micros(0.5), 0);
  histogram.Add(-5);  // a clock that went back counts as no time
  EXPECT_EQ(histogram.Micros(1), 0);
  histogram.Add(std::numeric_limits<int64_t>::max());
  EXPECT_NEAR(histogram.Micros(1) / 9.2233720368547758e15, 1, 1.0 / 64);
}

}  // namespace
}  // namespace sippar::cli
