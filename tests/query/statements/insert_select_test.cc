// INSERT … SELECT over many rows and tablets: an interrupted copy goes on where it stopped, and a
// table that is read and written is read as it was.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/base/random.h"
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

class InsertSelectTest : public testing::Test {
 protected:
  InsertSelectTest() : fixture_(Placement::kMemtable) { fixture_.Reset(); }

  Answer Run(const std::string& statement) {
    Answer answer = fixture_.Run(statement);
    EXPECT_TRUE(answer.status.ok()) << statement << "\n" << answer.status;
    return answer;
  }
  // Rows "0000" … of f:q = the number, in several tablets.
  void Fill(const std::string& table, int rows) {
    Run(fmt::format("CREATE TABLE {} (FAMILY f) SPLIT AT ('1000', '2000', '3000')", table));
    std::vector<engine::RowMutation> batch;
    for (int i = 0; i < rows; ++i) {
      batch.emplace_back(fmt::format("{:04}", i)).Set("f", "q", fmt::format("{}", i), 1000);
    }
    for (const Status& status : fixture_.client()->data()->ApplyBatch(table, batch)) {
      ASSERT_TRUE(status.ok()) << status;
    }
  }
  std::string Count(const std::string& from) {
    return Run("SELECT COUNT(*) FROM " + from).Lines().at(0);
  }

  StatementFixture fixture_;
};

TEST_F(InsertSelectTest, AnInterruptedCopyGoesOnAfterTheRowThatItNames) {
  Fill("source", 4000);
  Run("CREATE TABLE target (FAMILY f)");
  for (const char* items : {"(ROW, f:q, TIMESTAMP) SELECT row, f:q, TIMESTAMP(f:q) FROM source",
                            "SELECT CELLS * FROM source"}) {
    SCOPED_TRACE(items);
    Run("DELETE FROM target ALL ROWS");
    Session* session = fixture_.session("main");
    CancellingSink sink(session, 2500);
    auto summary = session->Execute(fmt::format("INSERT INTO target {}", items), &sink);
    ASSERT_FALSE(summary.ok());
    QueryError error = QueryErrorOf(summary.status());
    EXPECT_EQ(error.code, "CANCELLED");
    EXPECT_NE(error.message.find("rows written"), std::string::npos) << error.message;
    const std::string wanted = "to go on: AFTER ROW '";
    ASSERT_TRUE(error.hint.starts_with(wanted)) << error.hint;
    const std::string after = error.hint.substr(wanted.size(), 4);
    // All rows up to the one that the hint names are in.
    EXPECT_EQ(Count(fmt::format("target WHERE row <= '{}'", after)),
              fmt::format("{}", std::stoi(after) + 1));
    EXPECT_NE(Count("target"), "4000");
    Run(fmt::format("INSERT INTO target {} AFTER ROW '{}'", items, after));
    EXPECT_EQ(Count("target"), "4000");
    EXPECT_EQ(Count("CELLS(target) VERSIONS ALL"), "4000");
  }
}

TEST_F(InsertSelectTest, ATimeoutEndsTheCopyAndTheInsertOfManyRows) {
  Fill("source", 4000);
  Run("CREATE TABLE target (FAMILY f)");
  std::string values = "INSERT INTO target (ROW, f:q) VALUES ('a', '1')";
  for (int i = 0; i < 20'000; ++i) values += fmt::format(", ('b{}', '2')", i);
  Run("SET timeout = 1ms");
  for (const std::string& statement :
       {std::string("INSERT INTO target SELECT CELLS * FROM source"), values}) {
    Answer answer = fixture_.Run(statement);
    ASSERT_FALSE(answer.status.ok());
    EXPECT_EQ(QueryErrorOf(answer.status).code, "TIMEOUT") << answer.status;
  }
}

TEST_F(InsertSelectTest, AnErrorInOneRowLeavesTheRowsBeforeIt) {
  Fill("source", 4000);
  Run("CREATE TABLE target (FAMILY f)");
  Run("INSERT INTO source ROW '3500' SET f:q = 'x'");
  Answer answer = fixture_.Run(
      "INSERT INTO target (ROW, f:n) SELECT row, TEXT(INT64(TEXT(f:q)) + 1) FROM source");
  ASSERT_FALSE(answer.status.ok());
  QueryError error = QueryErrorOf(answer.status);
  EXPECT_EQ(error.code, "DECODE");
  const std::string wanted = "to go on: AFTER ROW '";
  ASSERT_NE(error.hint.find(wanted), std::string::npos) << error.hint;
  const std::string after = error.hint.substr(error.hint.find(wanted) + wanted.size(), 4);
  EXPECT_LT(after, "3500");
  EXPECT_EQ(Count("target"), fmt::format("{}", std::stoi(after) + 1));
}

// The model: every row is read as it was before the statement, whatever the statement writes.
TEST_F(InsertSelectTest, ItsOwnTableIsReadAsItWas) {
  engine::Random random(7);
  const std::string keys[] = {"'5' || row", "row || '5'", "SUBSTR(row, 2)", "row"};
  for (int round = 0; round < 8; ++round) {
    const std::string table = fmt::format("own{}", round);
    Fill(table, 0);
    std::map<std::string, std::string> model;
    for (int i = 0; i < 300; ++i) {
      std::string key = fmt::format("{:04}", random.Next() % 5000);
      model[key] = fmt::format("{}", i);
    }
    for (const auto& [key, value] : model) {
      engine::RowMutation mutation(key);
      ASSERT_TRUE(fixture_.client()->data()->Apply(table, mutation.Set("f", "q", value, 1)).ok());
    }
    const std::string& key = keys[round % 4];
    const bool reverse = round >= 4;
    Run(fmt::format(
        "INSERT INTO {0} (ROW, f:q, TIMESTAMP) SELECT {1}, f:q || '+', INT64(TEXT(f:q)) "
        "+ 10 FROM {0}{2}",
        table, key, reverse ? " REVERSE" : ""));
    std::map<std::string, std::pair<int, std::string>> wanted;
    for (const auto& [row, value] : model) wanted[row] = std::max(wanted[row], {1, value});
    for (const auto& [row, value] : model) {
      const std::string to = round % 4 == 0   ? "5" + row
                             : round % 4 == 1 ? row + "5"
                             : round % 4 == 2 ? row.substr(1)
                                              : row;
      wanted[to] = std::max(wanted[to], {std::stoi(value) + 10, value + "+"});
    }
    std::vector<std::string> lines;
    for (const auto& [row, cell] : wanted) lines.push_back(row + " | " + cell.second);
    EXPECT_EQ(Run(fmt::format("SELECT row, f:q FROM {}", table)).Lines(), lines) << key;
  }
}

}  // namespace
}  // namespace sippar::query
