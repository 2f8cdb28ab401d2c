// RESTORE TABLE … AS OF: a backup with the later changes of its table. What is restored is compared
// with what the table had at that time.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cluster/node/open_client.h"
#include "engine/base/crash_point.h"
#include "engine/base/random.h"
#include "engine/base/thread.h"
#include "query/session/query_error.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

using Lines = std::vector<std::string>;

class RestoreAsOfTest : public testing::Test {
 protected:
  RestoreAsOfTest() : fixture_(Placement::kMemtable) {
    fixture_.Reset();
    Do("CREATE TABLE t (FAMILY f, FAMILY one VERSIONS 1, FAMILY n COUNTER, FAMILY s TYPE = SUM, "
       "FAMILY mixed GC = INTERSECTION(VERSIONS(1), AGE(1d)), "
       "LOCALITY GROUP g (one)) WITH (CHANGE_STREAM = 1d) SPLIT AT ('m')");
    Do("SET timeout = 20s");
  }
  ~RestoreAsOfTest() override { engine::CrashPoints::Arm(nullptr); }

  void Do(const std::string& statement) {
    Answer answer = fixture_.Run(statement);
    ASSERT_TRUE(answer.status.ok()) << statement << ": " << answer.status;
  }
  // The code and the message of the statement's error.
  std::string ErrorOf(const std::string& statement) {
    Answer answer = fixture_.Run(statement);
    EXPECT_FALSE(answer.status.ok()) << statement;
    if (answer.status.ok()) return "";
    const QueryError error = QueryErrorOf(answer.status);
    return error.code + ": " + error.message;
  }
  static void ExpectBegins(const std::string& text, std::string_view begin) {
    EXPECT_TRUE(text.starts_with(begin)) << text;
  }
  Lines Cells(const std::string& table) {
    Answer answer = fixture_.Run("SELECT CELLS * FROM " + table + " VERSIONS ALL");
    EXPECT_TRUE(answer.status.ok()) << answer.status;
    return answer.Lines();
  }
  Lines Tables() {
    Lines tables;
    for (const Row& row : fixture_.Run("SHOW TABLES").table.rows) tables.push_back(row[0].bytes());
    return tables;
  }
  // A time after all that was done, and before all that is done next.
  static std::string Now() {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  }
  void AddTo(const std::string& row, int64_t time_us, int64_t number) {
    engine::RowMutation mutation(row);
    mutation.Add("s", "q", engine::EncodeInt64(number), time_us);
    Status added = fixture_.client()->data()->Apply("t", mutation);
    EXPECT_TRUE(added.ok()) << added;
  }

  StatementFixture fixture_;
};

TEST_F(RestoreAsOfTest, TheTableIsAsItWasAtThatTime) {
  Do("INSERT INTO t (ROW, f:a, n:x) VALUES ('a', '1', 1), ('b', '2', 2), ('p', '3', 3), "
     "('z', '4', 4) AT 5");
  AddTo("a", 10, 7);
  Do("BACKUP TABLE t AS b");
  Do("UPDATE t SET n:x += 10 WHERE row = 'a'");
  Do("INCREMENT t n:x BY 5 WHERE row = 'z'");
  Do("APPEND '!' TO t f:a WHERE row = 'p'");
  AddTo("a", 10, 3);
  AddTo("a", 10, 2);
  AddTo("p", 11, 1);
  Do("DELETE FROM t WHERE row = 'b'");
  Do("INSERT INTO t ROW 'b' SET f:new = 'x' AT 3");
  Do("DELETE f:a FROM t AT 5 WHERE row = 'z'");
  const std::string first = Now();
  const Lines at_first = Cells("t");
  Do("SPLIT TABLE t AT ('g', 'q')");
  Do("DELETE FROM t WHERE row = 'p'");
  Do("INSERT INTO t (ROW, f:a) VALUES ('c', '1'), ('r', '2') AT 9");
  Do("FLUSH TABLE t");
  Do("MERGE TABLETS OF t");
  Do("INSERT INTO t (ROW, f:a) VALUES ('c', '3'), ('z', '4') AT 10");
  const std::string second = Now();
  const Lines at_second = Cells("t");
  Do("DELETE FROM t ALL ROWS");

  Answer answer = fixture_.Run("RESTORE TABLE u FROM b AS OF " + first);
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_EQ(answer.Lines(), Lines{"table u restored from backup b of table t, with 9 later "
                                  "changes: 2 tablets"});
  EXPECT_EQ(Cells("u"), at_first);
  Do("RESTORE TABLE v FROM b AS OF " + second);
  EXPECT_EQ(Cells("v"), at_second);
  Do("RESTORE TABLE w FROM b AS OF NOW()");
  EXPECT_EQ(Cells("w"), Lines{});
  // Nothing is left of the work, and the new tables are like others.
  EXPECT_EQ(Tables(), (Lines{"t", "u", "v", "w", "web"}));
  EXPECT_EQ(fixture_.Run("SHOW BACKUPS").table.rows.size(), 1U);
  Do("COMPACT TABLE u MAJOR");
  fixture_.Reopen();
  EXPECT_EQ(Cells("u"), at_first);
}

// A change that is in the backup and is applied again would bring the version of time 3 back: it
// lost against that of time 5 before the delete, and would not lose now.
TEST_F(RestoreAsOfTest, NoChangeIsAppliedTwice) {
  Do("INSERT INTO t ROW 'a' SET one:q = 'new' AT 5");
  Do("INSERT INTO t ROW 'a' SET one:q = 'old' AT 3");
  Do("DELETE one:q FROM t AT 5 WHERE row = 'a'");
  Do("BACKUP TABLE t AS b");
  EXPECT_EQ(Cells("t"), Lines{});
  Do("INSERT INTO t ROW 'a' SET one:q = 'after' AT 2");
  Do("INSERT INTO t ROW 'a' SET one:q = 'before' AT 1");
  Do("DELETE one:q FROM t AT 2 WHERE row = 'a'");
  Do("INSERT INTO t ROW 'z' SET one:q = 'z' AT 1");
  const Lines cells = Cells("t");
  EXPECT_EQ(cells.size(), 1U);
  Do("RESTORE TABLE u FROM b AS OF NOW()");
  EXPECT_EQ(Cells("u"), cells);
}

TEST_F(RestoreAsOfTest, ManyChangesOfManyRows) {
  Do("BACKUP TABLE t AS b");
  for (int round = 0; round < 3; ++round) {
    std::vector<engine::RowMutation> batch;
    for (int i = 0; i < 8'000; ++i) {
      batch.emplace_back(fmt::format("{}{}", i % 2 == 0 ? "a" : "x", i / 4));
      batch.back().Set("f", "q", fmt::format("{} {}", round, i), 5);
    }
    for (const Status& status : fixture_.client()->data()->ApplyBatch("t", batch)) {
      ASSERT_TRUE(status.ok()) << status;
    }
  }
  Do("RESTORE TABLE u FROM b AS OF NOW()");
  EXPECT_EQ(Cells("u"), Cells("t"));
}

TEST_F(RestoreAsOfTest, ATableOfManyTablets) {
  std::string keys;
  for (int i = 1; i < 60; ++i) keys += fmt::format("{}'{:02}'", i == 1 ? "" : ", ", i);
  Do("CREATE TABLE many (FAMILY f) WITH (CHANGE_STREAM = 1d) SPLIT AT (" + keys + ")");
  auto write = [&](const std::string& value) {
    for (int i = 0; i < 60; ++i) {
      Do(fmt::format("INSERT INTO many ROW '{:02}x' SET f:q = '{}' AT 5", i, value));
    }
  };
  write("1");
  Do("BACKUP TABLE many AS b");
  write("2");
  Do("SPLIT TABLE many AT ('00', '30x')");
  write("3");
  Do("RESTORE TABLE u FROM b AS OF NOW()");
  EXPECT_EQ(Cells("u"), Cells("many"));
}

TEST_F(RestoreAsOfTest, RefusesWhatItCannotRestore) {
  const std::string before = Now();
  Do("BACKUP TABLE t AS b");
  ExpectBegins(ErrorOf("RESTORE TABLE u FROM b AS OF " + before), "RANGE: backup b has");
  ExpectBegins(ErrorOf("RESTORE TABLE u FROM b AS OF NOW() + 1h"), "RANGE: AS OF");
  ExpectBegins(ErrorOf("RESTORE TABLE web FROM b AS OF NOW()"), "TABLE_EXISTS: ");
  ExpectBegins(ErrorOf("RESTORE TABLE `a b` FROM b AS OF NOW()"), "BAD_NAME: ");
  Do("BACKUP TABLE web AS plain");
  ExpectBegins(ErrorOf("RESTORE TABLE u FROM plain AS OF NOW()"),
               "NO_CHANGE_STREAM: table web keeps no changes");
  Do("ALTER TABLE web SET (CHANGE_STREAM = 1d)");
  ExpectBegins(ErrorOf("RESTORE TABLE u FROM plain AS OF NOW()"),
               "NO_CHANGE_STREAM: table web keeps its changes since");

  Do("INSERT INTO t ROW 'a' SET mixed:q = '1' AT 5");
  Do("INSERT INTO t ROW 'a' SET mixed:q = '2' AT 6");
  Do("RESTORE TABLE u FROM b AS OF NOW()");
  Do("DELETE mixed:q FROM t AT 6 WHERE row = 'a'");
  ExpectBegins(ErrorOf("RESTORE TABLE v FROM b AS OF NOW()"),
               "UNSUPPORTED: family mixed: single versions were deleted");
  EXPECT_EQ(Tables(), (Lines{"t", "u", "web"}));
  Do("ALTER TABLE t ADD FAMILY g");
  Do("INSERT INTO t ROW 'b' SET g:q = '1'");
  Do("ALTER TABLE t DROP FAMILY g");
  Do("BACKUP TABLE t AS b2");
  Do("ALTER TABLE t ADD FAMILY g");
  Do("INSERT INTO t ROW 'b' SET g:q = '1'");
  Do("ALTER TABLE t DROP FAMILY g");
  ExpectBegins(ErrorOf("RESTORE TABLE v FROM b2 AS OF NOW()"),
               "UNSUPPORTED: family g has changes, but the backup has no such family");

  Do("ALTER TABLE t ALTER FAMILY f VERSIONS 3");
  ExpectBegins(ErrorOf("RESTORE TABLE v FROM b AS OF NOW()"),
               "SCHEMA_CHANGED: the families of table t were altered after backup b");
  Do("BACKUP TABLE t AS c");
  Do("ALTER TABLE t DROP FAMILY f");
  Do("ALTER TABLE t ADD FAMILY f VERSIONS 3");
  ExpectBegins(ErrorOf("RESTORE TABLE v FROM c AS OF NOW()"), "SCHEMA_CHANGED: ");

  Do("BACKUP TABLE t AS d");
  Do("ALTER TABLE t SET (CHANGE_STREAM = NONE)");
  ExpectBegins(ErrorOf("RESTORE TABLE v FROM d AS OF NOW()"),
               "NO_CHANGE_STREAM: table t keeps no changes");
  Do("INSERT INTO t ROW 'a' SET f:lost = '1'");
  Do("ALTER TABLE t SET (CHANGE_STREAM = 1d)");
  ExpectBegins(ErrorOf("RESTORE TABLE v FROM d AS OF NOW()"),
               "NO_CHANGE_STREAM: table t keeps its changes since");

  Do("BACKUP TABLE t AS e");
  Do("DROP TABLE t");
  ExpectBegins(ErrorOf("RESTORE TABLE v FROM e AS OF NOW()"),
               "UNKNOWN_TABLE: table t of backup e was dropped");
  Do("CREATE TABLE t (FAMILY f) WITH (CHANGE_STREAM = 1d)");
  ExpectBegins(ErrorOf("RESTORE TABLE v FROM e AS OF NOW()"),
               "UNKNOWN_TABLE: table t of backup e was dropped");
  EXPECT_EQ(Tables(), (Lines{"t", "u", "web"}));
}

TEST_F(RestoreAsOfTest, ACancelledRestoreLeavesNothing) {
  Do("BACKUP TABLE t AS b");
  Do("INSERT INTO t ROW 'a' SET f:q = '1'");
  engine::CrashPoints::Arm([&](const char* name) {
    if (std::string_view(name) == "restore_as_of.after_write") fixture_.session()->Cancel();
  });
  EXPECT_EQ(fixture_.Run("RESTORE TABLE u FROM b AS OF NOW()").status.code(),
            StatusCode::kCancelled);
  engine::CrashPoints::Arm(nullptr);
  EXPECT_EQ(Tables(), (Lines{"t", "web"}));
  EXPECT_EQ(fixture_.Run("SHOW BACKUPS").table.rows.size(), 1U);
}

TEST_F(RestoreAsOfTest, AKillLeavesTheWholeTableOrNone) {
  Do("INSERT INTO t (ROW, f:a) VALUES ('a', '1'), ('z', '2') AT 5");
  Do("BACKUP TABLE t AS b");
  Do("INSERT INTO t (ROW, f:a) VALUES ('a', '3'), ('z', '4') AT 6");
  const Lines cells = Cells("t");
  engine::Random random(1);
  engine::Mutex mutex;
  std::vector<std::unique_ptr<engine::MemoryFileSystem>> disks;
  engine::CrashPoints::Arm([&](const char*) {
    engine::MutexLock lock(&mutex);
    disks.push_back(fixture_.disk()->CrashClone(&random));
  });
  Do("RESTORE TABLE u FROM b AS OF NOW()");
  engine::CrashPoints::Arm(nullptr);
  disks.push_back(fixture_.disk()->CrashClone(&random));
  size_t whole = 0;
  for (size_t i = 0; i < disks.size(); ++i) {
    SCOPED_TRACE(i);
    fixture_.OpenOn(std::move(disks[i]));
    EXPECT_EQ(Cells("t"), cells);
    for (const std::string& table : Tables()) {
      if (table != "u") continue;
      ++whole;
      EXPECT_EQ(Cells("u"), cells);
    }
  }
  EXPECT_GE(whole, 1U);
  EXPECT_LT(whole, disks.size());
}

}  // namespace
}  // namespace sippar::query
