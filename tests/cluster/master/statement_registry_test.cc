// Which statements the master lists, and how long an order to end one of them stands.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/statement_registry.h"

#include <gtest/gtest.h>

#include "cluster/api/call_codec.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kSecondUs = 1'000'000;

StatementInfo StatementOf(const std::string& id, int64_t elapsed_us) {
  StatementInfo info{id, "host", 7, "t", "SELECT 1"};
  info.elapsed_us = elapsed_us;
  return info;
}

class StatementRegistryTest : public testing::Test {
 protected:
  std::vector<std::string> Report(uint64_t client, std::vector<StatementInfo> statements) {
    std::vector<std::string> ordered;
    for (const StatementOrder& order :
         registry_.Perform(calls::ReportStatements{client, std::move(statements)})) {
      ordered.push_back(order.id + " by " + order.by);
    }
    return ordered;
  }
  std::vector<std::string> Ids() {
    std::vector<std::string> ids;
    for (const StatementInfo& info : registry_.Perform(calls::ListStatements{})) {
      ids.push_back(info.id);
    }
    return ids;
  }
  StatusCode Cancel(const std::string& id, const std::string& by = "me") {
    return registry_.Perform(calls::CancelStatement{{id, by}}).status().code();
  }

  using Texts = std::vector<std::string>;
  engine::ManualClock clock_{kSecondUs};
  StatementRegistry registry_{&clock_};
};

TEST_F(StatementRegistryTest, EveryClientsStatementsAreListedTheLongestFirst) {
  Report(1, {StatementOf("a-1", 200), StatementOf("a-2", 900)});
  Report(2, {StatementOf("b-1", 500)});
  EXPECT_EQ(Ids(), (Texts{"a-2", "b-1", "a-1"}));
  // The time goes on between two reports.
  clock_.Set(kSecondUs + 50);
  EXPECT_EQ(registry_.Perform(calls::ListStatements{}).front().elapsed_us, 950);
}

TEST_F(StatementRegistryTest, AReportReplacesTheOneBefore) {
  Report(1, {StatementOf("a-1", 200)});
  Report(1, {StatementOf("a-2", 100)});
  EXPECT_EQ(Ids(), Texts{"a-2"});
  Report(1, {});
  EXPECT_EQ(Ids(), Texts());
}

TEST_F(StatementRegistryTest, TheStatementsOfASilentClientCountAsEnded) {
  Report(1, {StatementOf("a-1", 200)});
  clock_.Set(kSecondUs + StatementRegistry::kSilenceUs);
  Report(2, {StatementOf("b-1", 200)});
  EXPECT_EQ(Ids(), (Texts{"a-1", "b-1"}));
  clock_.Set(kSecondUs + StatementRegistry::kSilenceUs + 1);
  EXPECT_EQ(Cancel("a-1"), StatusCode::kNotFound);
  EXPECT_EQ(Ids(), Texts{"b-1"});
}

TEST_F(StatementRegistryTest, AnOrderStandsUntilTheStatementEnds) {
  Report(1, {StatementOf("a-1", 200), StatementOf("a-2", 200)});
  EXPECT_EQ(Cancel("b-1"), StatusCode::kNotFound);
  EXPECT_EQ(Cancel("a-1"), StatusCode::kOk);
  // Who asks again asks for the same.
  EXPECT_EQ(Cancel("a-1", "another"), StatusCode::kOk);
  EXPECT_EQ(Report(2, {StatementOf("b-1", 1)}), Texts());
  EXPECT_EQ(Report(1, {StatementOf("a-1", 300), StatementOf("a-2", 300)}), Texts{"a-1 by me"});
  EXPECT_EQ(Report(1, {StatementOf("a-1", 400), StatementOf("a-2", 400)}), Texts{"a-1 by me"});
  EXPECT_EQ(Report(1, {StatementOf("a-2", 500)}), Texts());
  EXPECT_EQ(Cancel("a-1"), StatusCode::kNotFound);
}

TEST_F(StatementRegistryTest, ItsMemoryIsBounded) {
  for (uint64_t client = 1; client <= StatementRegistry::kClientsMax; ++client) {
    Report(client, {StatementOf(std::to_string(client), 1)});
  }
  Report(StatementRegistry::kClientsMax + 1, {StatementOf("late", 1)});
  EXPECT_EQ(Ids().size(), StatementRegistry::kClientsMax);
  EXPECT_EQ(Cancel("late"), StatusCode::kNotFound);
  // Silent clients make room.
  clock_.Set(kSecondUs * 10);
  Report(1, std::vector<StatementInfo>(1000, StatementOf("a-1", 1)));
  Report(StatementRegistry::kClientsMax + 1, {StatementOf("late", 1)});
  EXPECT_EQ(Cancel("late"), StatusCode::kOk);
  EXPECT_EQ(Ids().size(), StatementRegistry::kStatementsMax + 1);
}

TEST_F(StatementRegistryTest, AStatementTravelsWhole) {
  StatementInfo sent = StatementOf("a-1", -1);
  sent.rows_read = 9;
  StatementInfo received;
  ASSERT_TRUE(DecodeValue(EncodeValue(sent), &received));
  EXPECT_EQ(EncodeValue(received), EncodeValue(sent));
  EXPECT_EQ(received.text, "SELECT 1");
}

}  // namespace
}  // namespace sippar::cluster::master
