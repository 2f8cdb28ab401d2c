// INSERT statements that are sent together, when Ctrl-C comes during the call that sends them.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/gathered_rows.h"

#include <gtest/gtest.h>

#include "query/session/query_error.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

engine::RowMutation Row(const std::string& key) {
  engine::RowMutation row(key);
  row.Set("contents", "", "x", 1);
  return row;
}

TEST(GatheredRowsTest, ACancelEndsTheCallThatSends) {
  StatementFixture fixture(Placement::kMemtable);
  fixture.Reset();
  auto cancel = std::make_shared<std::atomic<bool>>(false);
  GatheredRows gathered(fixture.client(), cancel);
  gathered.Begin(0);
  ASSERT_TRUE(gathered.Take("web", {Row("a")}).ok());
  gathered.Begin(1);
  ASSERT_TRUE(gathered.Take("web", {Row("b")}).ok());
  cancel->store(true);
  const std::map<size_t, Status> failed = gathered.Finish();
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_EQ(failed.at(0).code(), StatusCode::kCancelled) << failed.at(0);
  EXPECT_EQ(failed.at(1).code(), StatusCode::kCancelled) << failed.at(1);
  cancel->store(false);
  EXPECT_EQ(gathered.Finish().size(), 0U);
}

TEST(HintIfInterruptedTest, OnlyAnInterruptedChangeGetsTheHint) {
  for (StatusCode code : {StatusCode::kCancelled, StatusCode::kDeadlineExceeded}) {
    const Status hinted = HintIfInterrupted(Status(code, "over"), "look there");
    EXPECT_EQ(hinted.code(), code);
    EXPECT_EQ(QueryErrorOf(hinted).hint, "look there");
    EXPECT_EQ(QueryErrorOf(hinted).message, "over");
  }
  const Status other(StatusCode::kNotFound, "gone");
  EXPECT_EQ(HintIfInterrupted(other, "look there"), other);
  EXPECT_EQ(HintIfInterrupted(OkStatus(), "look there"), OkStatus());
}

}  // namespace
}  // namespace sippar::query
