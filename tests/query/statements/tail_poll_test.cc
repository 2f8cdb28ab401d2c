// TAIL on a table without a change stream. Times differ from run to run, so these are no golden
// scripts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "query/session/query_error.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

using Lines = std::vector<std::string>;

class TailPollTest : public testing::Test {
 protected:
  TailPollTest() : fixture_(Placement::kMemtable) {
    fixture_.Reset();
    Do("CREATE TABLE t (FAMILY f, FAMILY c COUNTER) SPLIT AT ('m')");
    Do("SET timeout = 20s");  // a cell that never comes fails the test
  }
  void Do(const std::string& statement, const std::string& connection = "main") {
    Answer answer = fixture_.Run(statement, connection);
    ASSERT_TRUE(answer.status.ok()) << statement << ": " << answer.status;
  }
  // The rows as "committed | row | op | …", without the time of the cell.
  Lines Rows(const std::string& statement) {
    Answer answer = fixture_.Run(statement);
    EXPECT_TRUE(answer.status.ok()) << statement << ": " << answer.status;
    EXPECT_EQ(answer.table.notices.size(), 1U);
    next_ = answer.summary.next;
    Lines lines;
    for (const engine::Row& row : answer.table.rows) {
      EXPECT_EQ(row[4].type(), engine::ValueType::kInt64);
      lines.push_back(fmt::format("{} | {} | {} | {} | {}", row[0].Print(), row[1].Print(),
                                  row[2].Print(), row[3].Print(), row[5].Print()));
    }
    return lines;
  }
  // Runs `statements` from another session after `delay`.
  std::thread Later(std::chrono::milliseconds delay, Lines statements) {
    (void)fixture_.session("writer");
    return std::thread([this, delay, statements = std::move(statements)] {
      std::this_thread::sleep_for(delay);
      for (const std::string& statement : statements) Do(statement, "writer");
    });
  }

  StatementFixture fixture_;
  std::string next_;  // of the last statement: "FROM '…'"
};

constexpr auto kSoon = std::chrono::milliseconds(300);

TEST_F(TailPollTest, CellsUpToNowAndThePositionAfterThem) {
  Do("INSERT INTO t ROW 'a' SET f:x = '1', c:n = 7");
  Do("INSERT INTO t ROW 'z' SET f:y = '2'");
  Do("INSERT INTO t ROW 'old' SET f:y = '3' AT 5");
  EXPECT_EQ(
      Rows("TAIL t FROM NOW() - 1h TO NOW()"),
      (Lines{"NULL | a | SET | c:n | 7", "NULL | a | SET | f:x | 1", "NULL | z | SET | f:y | 2"}));
  ASSERT_EQ(next_.substr(0, 6), "FROM '");
  EXPECT_EQ(Rows("TAIL t " + next_ + " TO NOW()"), Lines{});
  const std::string next = next_;
  Do("INSERT INTO t ROW 'a' SET f:x = 'new'");
  EXPECT_EQ(Rows("TAIL t " + next + " TO NOW()"), Lines{"NULL | a | SET | f:x | new"});
  EXPECT_EQ(Rows("TAIL t FROM 0 TO 5"), Lines{"NULL | old | SET | f:y | 3"});
}

TEST_F(TailPollTest, PatternsWhereAndLimit) {
  for (int i = 0; i < 10; ++i) {
    Do(fmt::format("INSERT INTO t ROW 'r{0}' SET f:x = '{0}', f:y = 'y', c:n = {0}", i));
  }
  EXPECT_EQ(Rows("TAIL t f:x WHERE value >= '8' FROM NOW() - 1h TO NOW()"),
            (Lines{"NULL | r8 | SET | f:x | 8", "NULL | r9 | SET | f:x | 9"}));
  EXPECT_EQ(Rows("TAIL t c:* WHERE qualifier = 'n' AND INT64(value) >= 3 FROM NOW() - 1h LIMIT 1"),
            Lines{"NULL | r3 | SET | c:n | 3"});
  EXPECT_EQ(Rows("TAIL t " + next_ + " LIMIT 2"),
            (Lines{"NULL | r3 | SET | f:x | 3", "NULL | r3 | SET | f:y | y"}));
  EXPECT_EQ(Rows("TAIL t " + next_ + " LIMIT 1"), Lines{"NULL | r4 | SET | c:n | 4"});
}

TEST_F(TailPollTest, WithoutFromItShowsWhatComes) {
  Do("INSERT INTO t ROW 'a' SET f:x = 'before'");
  std::thread writer = Later(
      kSoon, {"INSERT INTO t ROW 'b' SET f:x = 'AT', f:y = '2' AT 5",
              "INSERT INTO t ROW 'a' SET f:x = 'after'", "INSERT INTO t ROW 'z' SET f:x = 'too'"});
  EXPECT_EQ(Rows("TAIL t LIMIT 3"),
            (Lines{"NULL | a | SET | f:x | after", "NULL | b | SET | f:x | AT",
                   "NULL | z | SET | f:x | too"}));
  writer.join();
}

TEST_F(TailPollTest, SplitsAndMergesChangeNothing) {
  Do("INSERT INTO t (ROW, f:x) VALUES ('a', '1'), ('h', '2'), ('z', '3')");
  EXPECT_EQ(Rows("TAIL t FROM NOW() - 1h LIMIT 2").size(), 2U);
  Do("SPLIT TABLE t AT ('g', 'q')");
  Do("INSERT INTO t (ROW, f:x) VALUES ('a', '4'), ('z', '5')");
  Do("MERGE TABLETS OF t");
  Lines rows = Rows("TAIL t " + next_ + " LIMIT 3");
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, (Lines{"NULL | a | SET | f:x | 4", "NULL | z | SET | f:x | 3",
                         "NULL | z | SET | f:x | 5"}));
}

TEST_F(TailPollTest, ItEndsSoonWhenItIsCancelled) {
  std::thread canceller([&] {
    std::this_thread::sleep_for(kSoon);
    fixture_.session()->Cancel();
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(fixture_.Run("TAIL t").status.code(), StatusCode::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kSoon + std::chrono::milliseconds(200));
  canceller.join();
}

TEST_F(TailPollTest, ItEndsAtTheTimeoutAndAtANewTableOfTheName) {
  Do("SET timeout = 300ms");
  EXPECT_EQ(fixture_.Run("TAIL t").status.code(), StatusCode::kDeadlineExceeded);
  Do("SET timeout = 20s");
  std::thread writer = Later(kSoon, {"DROP TABLE t", "CREATE TABLE t (FAMILY f)"});
  EXPECT_EQ(fixture_.Run("TAIL t").status.code(), StatusCode::kNotFound);
  writer.join();
}

TEST_F(TailPollTest, Refusals) {
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL t FROM 'nonsense'").status).code, "TOKEN_MISMATCH");
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL t LIMIT 1 BY row").status).code, "SYNTAX");
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL t WHERE nothing = 1").status).code, "UNKNOWN_NAME");
  EXPECT_EQ(Rows("TAIL t FROM NOW() - 1h TO NOW()"), Lines{});
  Do("CREATE TABLE u (FAMILY f)");
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL u " + next_).status).message,
            "this is a position in the changes of another table");
  Do("ALTER TABLE t SET (CHANGE_STREAM = 1d)");
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL t " + next_).status).message,
            "this position is not in a change stream, which the table now has");
  const std::string streamed = fixture_.Run("TAIL t FROM NOW() TO NOW()").summary.next;
  Do("ALTER TABLE t SET (CHANGE_STREAM = NONE)");
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL t " + streamed).status).message,
            "this is a position in a change stream, which the table no longer has");
}

}  // namespace
}  // namespace sippar::query
