// Relations between statements that must hold on any data: pages join to the whole, halves of a
// predicate too, patterns unite, orders reverse.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/random.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

class PropertyTest : public testing::TestWithParam<Placement> {
 protected:
  PropertyTest() : fixture_(GetParam()) {
    fixture_.Reset();
    Must("CREATE TABLE t (FAMILY a, FAMILY b, FAMILY n COUNTER) SPLIT AT ('k2', 'k4')");
    engine::Random random(11);
    for (int i = 0; i < 60; ++i) {
      std::string tuples;
      for (uint64_t c = 1 + random.Uniform(5); c > 0; --c) {
        const char* family = random.OneIn(2) ? "a" : "b";
        tuples += fmt::format("{}('k{}', '{}:q{}', {}, 'v{}')", tuples.empty() ? "" : ", ",
                              random.Uniform(60), family, random.Uniform(5), random.Uniform(9),
                              random.Uniform(20));
      }
      Must("INSERT INTO t CELLS VALUES " + tuples);
      if (i == 30 && GetParam() != Placement::kMemtable) Must("FLUSH TABLE t");
    }
    if (GetParam() == Placement::kCompacted) fixture_.Compact("t");
    if (GetParam() == Placement::kReopened) fixture_.Reopen();
  }

  Answer Must(const std::string& statement) {
    Answer answer = fixture_.Run(statement);
    EXPECT_TRUE(answer.status.ok()) << statement << ": " << answer.status;
    return answer;
  }
  std::vector<std::string> Rows(const std::string& statement) {
    Answer answer = Must(statement);
    answer.summary.next.clear();
    return answer.Lines();
  }
  // All pages of a query, one after another.
  std::vector<std::string> Pages(const std::string& query, int size, const char* unit) {
    std::vector<std::string> all;
    std::string after;
    for (int page = 0; page < 1000; ++page) {
      Answer answer = Must(fmt::format("{} LIMIT {}{} {}", query, size, unit, after));
      after = std::exchange(answer.summary.next, "");
      std::vector<std::string> lines = answer.Lines();
      EXPECT_LE(lines.size(), static_cast<size_t>(size));
      all.insert(all.end(), lines.begin(), lines.end());
      if (after.empty()) return all;
    }
    ADD_FAILURE() << "paging does not end: " << query;
    return all;
  }

  StatementFixture fixture_;
};

TEST_P(PropertyTest, PagesJoinToTheWhole) {
  for (const char* query : {"SELECT row, a:*, b:q1 FROM t", "SELECT row FROM t REVERSE",
                            "SELECT row FROM t WHERE a:q1 IS NOT NULL"}) {
    std::vector<std::string> whole = Rows(query);
    for (int size : {1, 2, 7, 100}) EXPECT_EQ(Pages(query, size, ""), whole) << query << size;
  }
  for (const char* query :
       {"SELECT CELLS * FROM t VERSIONS ALL", "SELECT CELLS a:* FROM t VERSIONS 2 REVERSE",
        "SELECT CELLS * FROM t CELLS PER ROW 2 WHERE value != 'v3'"}) {
    std::vector<std::string> whole = Rows(query);
    EXPECT_FALSE(whole.empty());
    for (int size : {1, 3, 50}) EXPECT_EQ(Pages(query, size, " CELLS"), whole) << query << size;
  }
}

TEST_P(PropertyTest, AFilterItsNegationAndItsNullsAreEverything) {
  for (const char* test : {"a:q1 = 'v3'", "a:q1 > b:q2", "LENGTH(b:q0) = 2 OR a:q2 IS NULL",
                           "row > 'k3' AND a:q1 < 'v5'"}) {
    std::vector<std::string> parts;
    for (const char* form : {"{}", "NOT ({})", "({}) IS NULL"}) {
      std::string where = fmt::format(fmt::runtime(form), test);
      for (std::string& row : Rows("SELECT row FROM t WHERE " + where)) parts.push_back(row);
    }
    std::sort(parts.begin(), parts.end());
    EXPECT_EQ(parts, Rows("SELECT row FROM t")) << test;
  }
}

TEST_P(PropertyTest, PatternsUnite) {
  EXPECT_EQ(Rows("SELECT CELLS a:/1|2/ FROM t VERSIONS ALL"),
            Rows("SELECT CELLS a:/1/, a:/2/ FROM t VERSIONS ALL"));
  EXPECT_EQ(Rows("SELECT CELLS a:^q FROM t"), Rows("SELECT CELLS a:/^q/ FROM t"));
  EXPECT_EQ(Rows("SELECT CELLS *:q1 FROM t"), Rows("SELECT CELLS a:q1, b:q1 FROM t"));
}

TEST_P(PropertyTest, RowTestsAgree) {
  std::vector<std::string> rows = Rows("SELECT row FROM t WHERE row STARTS WITH 'k1'");
  EXPECT_FALSE(rows.empty());
  EXPECT_EQ(rows, Rows("SELECT row FROM t WHERE row LIKE 'k1%'"));
  EXPECT_EQ(rows, Rows("SELECT row FROM t WHERE row ~ /^k1/"));
  EXPECT_EQ(rows, Rows("SELECT row FROM t WHERE 'k1' <= row < 'k2'"));
  EXPECT_EQ(rows, Rows("SELECT row FROM t WHERE SUBSTR(row, 1, 2) = 'k1'"));  // no ranges here
}

TEST_P(PropertyTest, ReverseIsReversed) {
  std::vector<std::string> up = Rows("SELECT row, a:*, VERSION_COUNT(b:*) FROM t VERSIONS ALL");
  std::vector<std::string> down =
      Rows("SELECT row, a:*, VERSION_COUNT(b:*) FROM t VERSIONS ALL ORDER BY row DESC");
  std::reverse(down.begin(), down.end());
  EXPECT_EQ(up, down);
}

TEST_P(PropertyTest, TimesSplit) {
  std::vector<std::string> both = Rows("SELECT CELLS * FROM t TIME FROM 0 TO 4 VERSIONS ALL");
  for (std::string& cell : Rows("SELECT CELLS * FROM t TIME FROM 4 VERSIONS ALL")) {
    both.push_back(cell);
  }
  std::vector<std::string> all = Rows("SELECT CELLS * FROM t VERSIONS ALL");
  std::sort(both.begin(), both.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(both, all);
  EXPECT_EQ(Rows("SELECT CELLS * FROM t AS OF 5"), Rows("SELECT CELLS * FROM t TIME TO 6"));
}

TEST_P(PropertyTest, GroupsSumToTheCount) {
  EXPECT_EQ(Rows("SELECT SUM(n) FROM (SELECT a:q1, COUNT(*) AS n FROM t GROUP BY a:q1)"),
            Rows("SELECT COUNT(*) FROM t"));
  EXPECT_EQ(Rows("SELECT COUNT(*) FROM CELLS(t) VERSIONS ALL"),
            Rows("SELECT SUM(VERSION_COUNT(a:*) + VERSION_COUNT(b:*)) FROM t VERSIONS ALL"));
}

TEST_P(PropertyTest, WhatIsDeletedIsGoneAndTheRestStays) {
  std::vector<std::string> rest = Rows("SELECT CELLS b:* FROM t VERSIONS ALL");

  Must("SET safe_updates = off");
  Must("DELETE a:/[13]/ FROM t WHERE TRUE");
  EXPECT_TRUE(Rows("SELECT CELLS a:/[13]/ FROM t VERSIONS ALL").empty());
  EXPECT_FALSE(Rows("SELECT CELLS a:q2 FROM t VERSIONS ALL").empty());
  EXPECT_EQ(Rows("SELECT CELLS b:* FROM t VERSIONS ALL"), rest);
}

INSTANTIATE_TEST_SUITE_P(All, PropertyTest,
                         testing::Values(Placement::kMemtable, Placement::kFlushed,
                                         Placement::kCompacted, Placement::kReopened));

}  // namespace
}  // namespace sippar::query
