// IMPORT and EXPORT with JOBS: more at once changes no byte of a file, no value of a table, and
// nothing of what a message says.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "query/session/query_error.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

// Cancels the session when the statement has read this many rows.
struct CancellingSink final : ResultSink {
  CancellingSink(Session* cancelled, uint64_t rows) : session(cancelled), rows_max(rows) {}
  void Begin(const std::vector<ResultColumn>&) override {}
  bool Rows(std::vector<Row>) override { return true; }
  void OnProgress(const Progress& progress) override {
    if (progress.rows_read >= rows_max) session->Cancel();
  }
  Session* session;
  uint64_t rows_max;
};

class TransferJobsTest : public testing::Test {
 protected:
  static constexpr int kRecords = 12'000;

  TransferJobsTest() : fixture_(Placement::kMemtable) {
    fixture_.Reset();
    Run("SET safe_updates = off");
    Run("CREATE TABLE people (FAMILY f) SPLIT AT ('1', '2', '3', '4', '5', '6', '7', '8', '9')");
  }

  Answer Run(const std::string& statement) {
    Answer answer = fixture_.Run(statement);
    EXPECT_TRUE(answer.status.ok()) << statement << "\n" << answer.status;
    return answer;
  }
  std::string FirstLine(const std::string& statement) { return Run(statement).Lines().at(0); }
  std::string& File(const std::string& name) { return fixture_.files()->files[name]; }

  // A csv file in which the keys are not in order and each comes `times` times; the value is the
  // record's number.
  void WriteFile(int times) {
    std::string& file = File("people.csv");
    file = "row,f:n\n";
    constexpr int kStep = 7919;  // without a common factor with the number of keys
    const int keys = kRecords / times;
    for (int i = 0; i < kRecords; ++i) {
      file += fmt::format("{:05},{:05}\n", i % keys * kStep % keys * 8, i);
    }
  }

  StatementFixture fixture_;
};

TEST_F(TransferJobsTest, AnExportIsInKeyOrder) {
  WriteFile(1);
  Run("IMPORT INTO people FROM 'people.csv'");
  for (const char* source :
       {"TABLE people", "(SELECT row, f:n FROM people WHERE f:n LIKE '%7%')",
        "(SELECT row FROM people WHERE row >= '3' LIMIT 3000)",
        "(SELECT f:n, row FROM people ORDER BY f:n DESC, row LIMIT 5000)",
        "(SELECT SUBSTR(row, 2, 1) AS digit, COUNT(*) AS n FROM people GROUP BY SUBSTR(row, 2, 1))",
        "(SELECT n FROM (SELECT f:n AS n FROM people) WHERE n > '05')"}) {
    Run(fmt::format("EXPORT {} TO 'default' FORMAT csv", source));
    const std::string expected = File("default");
    EXPECT_GT(expected.size(), 20U) << source;
    for (int jobs : {1, 2, 7, 64}) {
      Run(fmt::format("EXPORT {} TO 'out' FORMAT csv WITH (JOBS = {})", source, jobs));
      EXPECT_EQ(File("out"), expected) << source << ", jobs " << jobs;
    }
  }
}

TEST_F(TransferJobsTest, TheLastRecordOfAKeyWins) {
  WriteFile(3);
  for (int jobs : {1, 3, 16}) {
    Run(fmt::format("IMPORT INTO people FROM 'people.csv' WITH (JOBS = {})", jobs));
    // The last third of the file has the greatest numbers.
    EXPECT_EQ(FirstLine("SELECT COUNT(*), MIN(f:n), MAX(f:n) FROM people"),
              fmt::format("{} | {:05} | {:05}", kRecords / 3, kRecords / 3 * 2, kRecords - 1));
    Run("DELETE FROM people WHERE row >= ''");
  }
}

TEST_F(TransferJobsTest, ABrokenRecordHasItsLineAndAllBeforeItAreWritten) {
  WriteFile(1);
  std::string& file = File("people.csv");
  size_t at = 0;
  for (int line = 0; line < 9'001; ++line) at = file.find('\n', at) + 1;
  file.insert(at, "broken\n");
  for (int jobs : {1, 5, 64}) {
    Answer stopped =
        fixture_.Run(fmt::format("IMPORT INTO people FROM 'people.csv' WITH (JOBS = {})", jobs));
    const QueryError error = QueryErrorOf(stopped.status);
    EXPECT_EQ(error.message,
              "people.csv:9002: 1 fields where 2 are expected; 9000 records of the file done, 9000 "
              "rows written");
    EXPECT_TRUE(error.hint.starts_with("to go on: WITH (SKIP = 9000)")) << error.hint;
    EXPECT_EQ(FirstLine("SELECT COUNT(*) FROM people"), "9000");
    EXPECT_EQ(FirstLine(fmt::format("IMPORT INTO people FROM 'people.csv' WITH (SKIP = 9000, "
                                    "ON_ERROR = FILE('bad.csv'), JOBS = {})",
                                    jobs)),
              fmt::format("3001 records read, 3000 rows, 3000 cells written, 1 skipped (lines "
                          "9002), written to bad.csv, {} bytes",
                          file.size()));
    EXPECT_EQ(File("bad.csv"), "line,reason,record\n9002,1 fields where 2 are expected,broken\n");
    EXPECT_EQ(FirstLine("SELECT COUNT(*) FROM people"), fmt::format("{}", kRecords));
    Run("DELETE FROM people WHERE row >= ''");
  }
}

TEST_F(TransferJobsTest, AnInterruptedImportGoesOn) {
  WriteFile(1);
  for (int jobs : {1, 4, 9}) {
    CancellingSink sink(fixture_.session(), 7'001);
    const std::string statement = "IMPORT INTO people FROM 'people.csv'";
    auto stopped =
        fixture_.session()->Execute(fmt::format("{} WITH (JOBS = {})", statement, jobs), &sink);
    ASSERT_EQ(stopped.status().code(), StatusCode::kCancelled);
    const std::string hint = QueryErrorOf(stopped.status()).hint;
    const std::string skip = hint.substr(hint.find("WITH"), hint.find(')') + 1 - hint.find("WITH"));
    Run(fmt::format("{} {}", statement, skip));
    EXPECT_EQ(FirstLine("SELECT COUNT(*), MAX(f:n) FROM people"),
              fmt::format("{} | {:05}", kRecords, kRecords - 1));
    Run("DELETE FROM people WHERE row >= ''");
  }
}

TEST_F(TransferJobsTest, JobsAreANumberFrom1To64) {
  WriteFile(1);
  for (const char* jobs : {"0", "65", "'4'", "TRUE"}) {
    for (const char* statement :
         {"IMPORT INTO people FROM 'people.csv'", "EXPORT TABLE people TO 'x.csv'"}) {
      Answer answer = fixture_.Run(fmt::format("{} WITH (JOBS = {})", statement, jobs));
      EXPECT_EQ(QueryErrorOf(answer.status).code, "UNKNOWN_OPTION") << statement << jobs;
    }
  }
}

}  // namespace
}  // namespace sippar::query
