// Shares of scans: even keys give even shares, sizes weigh tablets.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/scan_share.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sippar::query {
namespace {

TEST(ScanShareTest, F_S5_EvenlySpreadKeysGiveTheirShare) {
  for (int i = 0; i <= 600'000; i += 1'000) {
    double share = KeyShare("r0000000", "r0600000", fmt::format("r{:07}", i));
    EXPECT_NEAR(share, i / 600'000.0, 0.06) << i;
  }
  EXPECT_NEAR(KeyShare("com.a", "com.z", "com.n"), 0.5, 0.05);
  EXPECT_NEAR(KeyShare("", "", "\x80"), 0.5, 0.01);
  EXPECT_EQ(KeyShare("b", "d", "a"), 0);
  EXPECT_EQ(KeyShare("b", "d", "e"), 1);
  EXPECT_EQ(KeyShare("b", "b", "b"), 0);
}

TEST(ScanShareTest, F_S5_TabletsCountByTheirSizesAndAShareNeverFalls) {
  ScanShare share({{{"a", "k"}, 300}, {{"k", "z"}, 100}}, /*reverse=*/false);
  EXPECT_EQ(share.At(0, ""), 0);
  double first = share.At(0, "f");
  EXPECT_NEAR(first, 0.375, 0.05);
  EXPECT_EQ(share.At(0, "b"), first);
  EXPECT_NEAR(share.At(1, ""), 0.75, 0.01);
  EXPECT_NEAR(share.At(1, "y"), 1, 0.03);
  EXPECT_EQ(share.At(2, ""), 1);
}

TEST(ScanShareTest, F_S5_AReverseScanBeginsAtTheGreatestKey) {
  ScanShare share({{{"k", "z"}, 0}, {{"a", "k"}, 0}}, /*reverse=*/true);
  EXPECT_NEAR(share.At(0, "y"), 0.03, 0.03);
  EXPECT_NEAR(share.At(1, "f"), 0.75, 0.05);
}

}  // namespace
}  // namespace sippar::query
