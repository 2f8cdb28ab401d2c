// TAIL: the changes of a table with a change stream. Positions and commit times differ from run to
// run, so these are no golden scripts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "query/execute/tail_position.h"
#include "query/session/query_error.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

class TailTest : public testing::Test {
 protected:
  TailTest() : fixture_(Placement::kMemtable) {
    fixture_.Reset();
    Do("CREATE TABLE t (FAMILY f, FAMILY c COUNTER, FAMILY s TYPE = TEXT) "
       "WITH (CHANGE_STREAM = 1d) SPLIT AT ('m')");
    Do("SET timeout = 20s");  // a change that never comes fails the test
    // Changes are kept from the table's creation on; an earlier time is refused.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    start_ = std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  void Do(const std::string& statement) {
    Answer answer = fixture_.Run(statement);
    ASSERT_TRUE(answer.status.ok()) << statement << ": " << answer.status;
  }
  // The rows without the commit time, in the order of their keys: the two tablets come in any
  // order.
  std::vector<std::string> Rows(const std::string& statement) {
    Answer answer = fixture_.Run(statement);
    EXPECT_TRUE(answer.status.ok()) << statement << ": " << answer.status;
    next_ = answer.summary.next;
    std::vector<std::string> lines;
    for (const engine::Row& row : answer.table.rows) {
      EXPECT_EQ(row.size(), 6U);
      EXPECT_EQ(row[0].type(), engine::ValueType::kTimestamp);
      std::string line;
      for (size_t i = 1; i < row.size(); ++i) line += (i == 1 ? "" : " | ") + row[i].Print();
      lines.push_back(std::move(line));
    }
    std::stable_sort(lines.begin(), lines.end(), [](const std::string& a, const std::string& b) {
      return a.substr(0, a.find(' ')) < b.substr(0, b.find(' '));
    });
    return lines;
  }

  StatementFixture fixture_;
  std::string start_;  // a time before all changes
  std::string next_;   // of the last statement: "FROM '…'"
};

using Lines = std::vector<std::string>;

TEST_F(TailTest, TheValuesOfTextFamiliesAreText) {
  Do("INSERT INTO t ROW 'a' SET f:x = 'é€' AT 5, s:x = 'é€' AT 6");
  EXPECT_EQ(Rows("TAIL t WHERE LENGTH(value) = 2 FROM " + start_ + " TO NOW()"),
            Lines{"a | SET | s:x | 6 | é€"});
}

TEST_F(TailTest, ChangesUpToNow) {
  Do("INSERT INTO t ROW 'a' SET f:x = '1' AT 5, c:n = 7 AT 6");
  Do("INSERT INTO t ROW 'z' SET f:y = '2' AT 7");
  Do("DELETE f:x FROM t AT 5 WHERE row = 'a'");
  Do("DELETE f:* FROM t WHERE row = 'z'");
  EXPECT_EQ(Rows("TAIL t FROM " + start_ + " TO NOW()"),
            (Lines{"a | SET | f:x | 5 | 1", "a | SET | c:n | 6 | 7", "a | DELETE | f:x | 5 | NULL",
                   "z | SET | f:y | 7 | 2", "z | DELETE | f:* | NULL | NULL"}));
  const std::string next = next_;
  ASSERT_EQ(next.substr(0, 6), "FROM '");
  EXPECT_EQ(Rows("TAIL t " + next + " TO NOW()"), Lines{});

  Do("INSERT INTO t ROW 'b' SET f:x = 'new' AT 8");
  EXPECT_EQ(Rows("TAIL t " + next + " TO NOW()"), Lines{"b | SET | f:x | 8 | new"});
}

TEST_F(TailTest, PatternsWhereAndLimit) {
  for (int i = 0; i < 10; ++i) {
    Do(fmt::format(
        "INSERT INTO t ROW 'r{0}' SET f:x = '{0}' AT {0}, f:y = 'y' AT 1, c:n = {0} AT 1", i));
  }
  EXPECT_EQ(Rows("TAIL t f:x WHERE value >= '8' FROM " + start_ + " TO NOW()"),
            (Lines{"r8 | SET | f:x | 8 | 8", "r9 | SET | f:x | 9 | 9"}));
  EXPECT_EQ(
      Rows("TAIL t c:* WHERE qualifier = 'n' AND INT64(value) = 3 FROM " + start_ + " LIMIT 1"),
      Lines{"r3 | SET | c:n | 1 | 3"});
  EXPECT_EQ(Rows("TAIL t f:x " + next_ + " LIMIT 2"),
            (Lines{"r4 | SET | f:x | 4 | 4", "r5 | SET | f:x | 5 | 5"}));
  // A change is not cut: two rows, although the limit is one.
  EXPECT_EQ(Rows("TAIL t f:* " + next_ + " LIMIT 1"),
            (Lines{"r6 | SET | f:x | 6 | 6", "r6 | SET | f:y | 1 | y"}));
}

TEST_F(TailTest, SplitsAndMergesAreFollowed) {
  Do("INSERT INTO t (ROW, f:x) VALUES ('a', '1'), ('h', '2'), ('p', '3'), ('z', '4') AT 9");
  EXPECT_EQ(Rows("TAIL t FROM " + start_ + " LIMIT 4").size(), 4U);
  const std::string start = next_;
  Do("INSERT INTO t (ROW, f:x) VALUES ('a', '5'), ('z', '6') AT 9");
  Do("SPLIT TABLE t AT ('g', 'q')");
  Do("INSERT INTO t (ROW, f:x) VALUES ('a', '7'), ('h', '8'), ('z', '9') AT 9");
  Do("MERGE TABLETS OF t");
  Do("INSERT INTO t (ROW, f:x) VALUES ('a', '10'), ('z', '11') AT 9");
  const Lines expected = {"a | SET | f:x | 9 | 5",  "a | SET | f:x | 9 | 7",
                          "a | SET | f:x | 9 | 10", "h | SET | f:x | 9 | 8",
                          "z | SET | f:x | 9 | 6",  "z | SET | f:x | 9 | 9",
                          "z | SET | f:x | 9 | 11"};
  EXPECT_EQ(Rows("TAIL t " + start + " LIMIT 7"), expected);
}

TEST_F(TailTest, WaitsForChanges) {
  (void)fixture_.session("writer");  // before the thread: the fixture has no lock
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    Answer answer = fixture_.Run("INSERT INTO t ROW 'later' SET f:x = '1' AT 1", "writer");
    EXPECT_TRUE(answer.status.ok()) << answer.status;
  });
  EXPECT_EQ(Rows("TAIL t LIMIT 1"), Lines{"later | SET | f:x | 1 | 1"});
  writer.join();
}

TEST_F(TailTest, ItEndsAtTheTimeout) {
  Do("SET timeout = 300ms");
  Answer answer = fixture_.Run("TAIL t");
  EXPECT_EQ(answer.status.code(), StatusCode::kDeadlineExceeded) << answer.status;
}

TEST_F(TailTest, Refusals) {
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL t FROM 'nonsense'").status).code, "TOKEN_MISMATCH");
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL t LIMIT 1 BY row").status).code, "SYNTAX");
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL t WHERE nothing = 1").status).code, "UNKNOWN_NAME");
  EXPECT_EQ(fixture_.Run("TAIL t FROM NOW() - 1h").status.code(), StatusCode::kOutOfRange);
  Do("CREATE TABLE u (FAMILY f) WITH (CHANGE_STREAM = 1d)");
  (void)Rows("TAIL t FROM " + start_ + " TO NOW()");
  EXPECT_EQ(QueryErrorOf(fixture_.Run("TAIL u " + next_).status).code, "TOKEN_MISMATCH");
}

TEST(TailPositionTest, RoundTrip) {
  TailPosition position;
  position.table_id = 7;
  position.parts = {{{"", "m"}, std::string("to\0ken", 6), 0}, {{"m", ""}, "", 1'234'567}};
  const std::string text = EncodeTailPosition(position);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdefghijklmnopqrstuv"), std::string::npos);
  EXPECT_EQ(DecodeTailPosition(text), position);
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(DecodeTailPosition(text.substr(0, i)).has_value()) << i;
  }
  EXPECT_FALSE(DecodeTailPosition("").has_value());
}

}  // namespace
}  // namespace sippar::query
