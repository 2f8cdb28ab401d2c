// SHOW QUERIES and CANCEL: one session runs a statement that does not end by itself, another one
// lists it and ends it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/base/thread.h"
#include "query/api/query_api.h"
#include "query/session/query_error.h"
#include "query/session/statement_reporter.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

// A file without an end.
class EndlessFiles final : public FileAccess {
 public:
  StatusOr<std::unique_ptr<InputFile>> OpenInput(const std::string&) override {
    struct Input final : InputFile {
      StatusOr<size_t> Read(char* buffer, size_t size) override {
        for (size_t i = 0; i < size; ++i) buffer[i] = "a,b\n"[i % 4];
        return size - size % 4;
      }
    };
    return std::unique_ptr<InputFile>(std::make_unique<Input>());
  }
  StatusOr<std::unique_ptr<OutputFile>> OpenOutput(const std::string&) override {
    return Unimplemented("not for writing");
  }
};

// A reader that takes at most ten thousand rows a second.
struct SlowRows final : cluster::QueryRows {
  Status Put(const engine::Row&) override {
    engine::Clock::System()->SleepMicros(100);
    return OkStatus();
  }
  bool IsDue() override { return false; }
  Status Send(const std::string&) override { return OkStatus(); }
};

class CancelTest : public testing::Test {
 protected:
  CancelTest() : fixture_(Placement::kMemtable) {
    fixture_.Reset();
    fixture_.session("main");
    fixture_.session("other");
  }
  void SetUp() override {
    ASSERT_TRUE(fixture_.Run("SET timeout = 60s", "other").status.ok());
    const char* create = "CREATE TABLE t (FAMILY f) WITH (CHANGE_STREAM = 1d) SPLIT AT ('m')";
    ASSERT_TRUE(fixture_.Run(create).status.ok());
  }

  // The lines of SHOW QUERIES OF t, once there is one.
  std::vector<Row> Listed() {
    for (;;) {
      Answer shown = fixture_.Run("SHOW QUERIES OF t");
      EXPECT_TRUE(shown.status.ok()) << shown.status;
      if (!shown.table.rows.empty() || !shown.status.ok()) return shown.table.rows;
      engine::Clock::System()->SleepMicros(5'000);
    }
  }
  // Runs `work` on a thread of its own, cancels its statement, and returns its error.
  Status CancelOne(const std::function<Status()>& work, std::string_view text) {
    Status ended;
    engine::Thread thread("worker", [&] { ended = work(); });
    const std::vector<Row> rows = Listed();
    EXPECT_EQ(rows.size(), 1U);
    if (rows.empty()) return ended;
    const std::string id(rows[0][0].bytes());
    EXPECT_EQ(rows[0][7].bytes(), text);
    EXPECT_GE(rows[0][2].integer(), 100'000);
    Answer cancelled = fixture_.Run(fmt::format("CANCEL QUERY '{}'", id));
    EXPECT_TRUE(cancelled.status.ok()) << cancelled.status;
    EXPECT_TRUE(cancelled.summary.tag.starts_with("ended " + id + " of process "))
        << cancelled.summary.tag;
    EXPECT_TRUE(cancelled.summary.tag.ends_with(text)) << cancelled.summary.tag;
    // The statement has ended, so nothing is left to cancel.
    EXPECT_EQ(fixture_.Run(fmt::format("CANCEL '{}'", id)).status.code(), StatusCode::kNotFound);
    thread.Join();
    EXPECT_EQ(ended.code(), StatusCode::kCancelled);
    const std::string said = fmt::format("cancelled by CANCEL '{}' of ", id);
    EXPECT_NE(MessageOf(ended).find(said + StatementReporter::ProcessName()),
              std::string_view::npos)
        << ended;
    return ended;
  }

  StatementFixture fixture_;
};

TEST_F(CancelTest, ATailEndsAndTheSessionGoesOn) {
  const char* tail = "TAIL t";
  const Status ended = CancelOne([&] { return fixture_.Run(tail, "other").status; }, tail);
  EXPECT_EQ(QueryErrorOf(ended).code, "CANCELLED");
  EXPECT_TRUE(fixture_.Run("SELECT 1", "other").status.ok());
}

TEST_F(CancelTest, AnImportSaysWhereItStopped) {
  EndlessFiles files;
  StatementReporter reporter(fixture_.client());  // as a mount has one for many sessions
  SessionOptions options;
  options.files = &files;
  options.reporter = &reporter;
  std::unique_ptr<Session> session = Session::New(fixture_.client(), options);
  const char* import = "IMPORT INTO t FROM 'x.csv' (ROW = c1, f:q = c2) WITH (HEADER = FALSE)";
  const Status ended =
      CancelOne([&] { return session->Execute(import, nullptr).status(); }, import);
  EXPECT_TRUE(QueryErrorOf(ended).hint.starts_with("to go on: WITH (SKIP = ")) << ended;
}

TEST_F(CancelTest, AQueryOfTheBigtableApiEnds) {
  std::vector<engine::RowMutation> batch;
  for (int i = 0; i < 50'000; ++i) batch.emplace_back(fmt::format("{:05}", i)).Set("f", "q", "v");
  for (const Status& status : fixture_.client()->data()->ApplyBatch("t", batch)) {
    ASSERT_TRUE(status.ok()) << status;
  }
  const std::string select = "SELECT _key FROM t";
  std::unique_ptr<cluster::QueryApi> api = NewQueryApi(fixture_.client());
  auto prepared = api->Prepare("", select, {});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  cluster::QueryCall call;
  call.prepared = prepared->id;
  auto run = api->Open(call);
  ASSERT_TRUE(run.ok()) << run.status();
  SlowRows rows;
  const Status ended = CancelOne([&] { return (*run)->Run(&rows); }, select);
  EXPECT_EQ(QueryErrorOf(ended).code, "CANCELLED");
}

TEST_F(CancelTest, ExplainCancelsNothing) {
  std::atomic<bool> has_ended{false};
  engine::Thread thread("worker", [&] {
    (void)fixture_.Run("TAIL t", "other");
    has_ended = true;
  });
  const std::string id(Listed().at(0).at(0).bytes());
  EXPECT_TRUE(fixture_.Run(fmt::format("EXPLAIN CANCEL '{}'", id)).status.ok());
  EXPECT_EQ(Listed().at(0).at(0).bytes(), id);
  EXPECT_FALSE(has_ended);
  EXPECT_TRUE(fixture_.Run(fmt::format("CANCEL '{}'", id)).status.ok());
  thread.Join();
}

}  // namespace
}  // namespace sippar::query
