// Request ids: which calls get one, and how long its number stays open.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/request_numbers.h"

#include <gtest/gtest.h>

namespace sippar::cluster {
namespace {

using engine::RequestId;

TEST(NumberedCallTest, WritesWithoutAnIdGetOneAndTheOthersKeepTheirs) {
  RequestNumbers numbers(5);
  const std::string table = "t";
  const RowMutation plain("a");
  RowMutation marked("b");
  marked.request = {9, 3, 1};
  const RowMutation* both[] = {&plain, &marked};
  {
    const NumberedCall batch(&numbers, calls::ApplyRows<LentTable>{table, {both, 2}});
    EXPECT_EQ(batch.call().batch[0].request, (RequestId{5, 1, 1}));
    EXPECT_EQ(batch.call().batch[1].request, marked.request);
    EXPECT_EQ(batch.call().batch[1].row, "b");
    EXPECT_TRUE(plain.request.IsNone());  // the caller's mutation is unchanged
    const NumberedCall commit(&numbers, calls::CommitRow<LentTable>{table, plain, {}});
    EXPECT_EQ(commit.call().mutation->request, (RequestId{5, 2, 1}));
  }
  // Both calls have ended, so all numbers below the next one are answered.
  const engine::RowUpdate update;
  const engine::RowUpdate* only = &update;
  const NumberedCall next(&numbers, calls::UpdateRows<LentTable>{table, {&only, 1}});
  EXPECT_EQ(next.call().batch[0].request, (RequestId{5, 3, 3}));
}

}  // namespace
}  // namespace sippar::cluster
