// Tests which failed calls are retried, and when.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/retry_policy.h"

#include <gtest/gtest.h>

namespace sippar::cluster {
namespace {

constexpr int64_t kLong = 60'000'000;

TEST(RetryPolicy, OnlyWhatIsSafeIsRepeated) {
  auto again = [](StatusCode code, Repeat repeat, bool not_served = false) {
    return DecideRetry({}, {code, not_served, repeat, 1, kLong}, 0).again;
  };
  for (Repeat repeat : {Repeat::kUnsafe, Repeat::kSafe}) {
    EXPECT_TRUE(again(StatusCode::kOutOfRange, repeat, true));  // the server carried out nothing
    EXPECT_FALSE(again(StatusCode::kOutOfRange, repeat));       // the position is too old
  }
  EXPECT_TRUE(again(StatusCode::kUnavailable, Repeat::kSafe));
  EXPECT_FALSE(again(StatusCode::kUnavailable, Repeat::kUnsafe));
  for (StatusCode code : {StatusCode::kAborted, StatusCode::kNotFound, StatusCode::kDataLoss,
                          StatusCode::kInvalidArgument, StatusCode::kResourceExhausted,
                          StatusCode::kCancelled, StatusCode::kDeadlineExceeded}) {
    EXPECT_FALSE(again(code, Repeat::kSafe)) << static_cast<int>(code);
  }
}

TEST(RetryPolicy, WaitsDoubleWithJitterUpToABound) {
  RetryPolicy policy;
  auto wait = [&](uint32_t failures, uint64_t chance) {
    return DecideRetry(policy, {StatusCode::kUnavailable, false, Repeat::kSafe, failures, kLong},
                       chance)
        .wait_us;
  };
  EXPECT_EQ(wait(1, 99), 0);
  for (uint32_t failures = 2; failures < 100; ++failures) {
    for (uint64_t chance : {uint64_t{0}, uint64_t{12345}, ~uint64_t{0}}) {
      int64_t full = policy.wait_max_us;
      if (failures < 12) full = std::min(full, policy.first_wait_us << (failures - 2));
      EXPECT_GE(wait(failures, chance), full / 2) << failures;
      EXPECT_LE(wait(failures, chance), full) << failures;
    }
  }
  EXPECT_NE(wait(5, 1), wait(5, 2));
}

TEST(RetryPolicy, TheDeadlineEndsIt) {
  FailedCall call{StatusCode::kUnavailable, false, Repeat::kSafe, 20, 100'000};
  EXPECT_FALSE(DecideRetry({}, call, 0).again);
  call.failures = 1;
  EXPECT_TRUE(DecideRetry({}, call, 0).again);
  call.time_left_us = 0;
  EXPECT_FALSE(DecideRetry({}, call, 0).again);
}

}  // namespace
}  // namespace sippar::cluster
