// What a process tells the master about its statements, and what it does when the master orders the
// end of one. The master is a fake.
// SPDX-License-Identifier: Apache-2.0
#include "query/session/statement_reporter.h"

#include <gtest/gtest.h>

#include <functional>

#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using cluster::StatementInfo;
using cluster::StatementOrder;

// Answers reports with `answer`, and keeps them.
class FakeMaster final : public cluster::Client, public cluster::AdminApi {
 public:
  using Report = cluster::calls::ReportStatements;

  void Carry(const AnyCall& call, const cluster::CallOptions& options) override {
    const auto& report = std::get<cluster::Pending<Report>>(call);
    {
      engine::MutexLock lock(&mutex_);
      reports_.push_back(report.call);
      changed_.NotifyAll();
    }
    report.answer = answer(report.call, options);
  }
  // Waits until there are `count` reports and returns them.
  std::vector<Report> Await(size_t count) {
    engine::MutexLock lock(&mutex_);
    while (reports_.size() < count) changed_.Wait(&mutex_);
    return reports_;
  }
  size_t count() {
    engine::MutexLock lock(&mutex_);
    return reports_.size();
  }

  cluster::DataApi* data() override { return nullptr; }
  cluster::AdminApi* admin() override { return this; }
  engine::Clock* clock() override { return engine::Clock::System(); }
  const std::string& target() const override { return target_; }
  Status Close() override { return OkStatus(); }

  std::function<StatusOr<std::vector<StatementOrder>>(const Report&, const cluster::CallOptions&)>
      answer =
          [](const Report&, const cluster::CallOptions&) { return std::vector<StatementOrder>(); };

 private:
  engine::Mutex mutex_;
  engine::CondVar changed_;
  std::vector<Report> reports_;
  std::string target_;
};

class StatementReporterTest : public testing::Test {
 protected:
  ReportedStatement Statement(std::string_view text) { return {text, "t", cancel_, &rows_}; }
  static StatusOr<std::vector<StatementOrder>> OrderEach(const FakeMaster::Report& report) {
    std::vector<StatementOrder> orders;
    for (const StatementInfo& info : report.statements) orders.push_back({info.id, "process 5"});
    return orders;
  }
  void AwaitCancel() {
    while (!cancel_->load()) engine::Clock::System()->SleepMicros(1000);
  }

  const cluster::CancelFlag cancel_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<uint64_t> rows_{0};
  FakeMaster master_;
};

TEST_F(StatementReporterTest, AShortStatementMakesNoCall) {
  StatementReporter reporter(&master_);
  const int64_t begin_nanos = engine::Clock::System()->MonotonicNanos();
  for (int i = 0; i < 1000; ++i) {
    StatementReporter::Scope scope(&reporter, Statement("SELECT 1"));
    EXPECT_TRUE(scope.End(OkStatus()).ok());
  }
  const int64_t nanos = engine::Clock::System()->MonotonicNanos() - begin_nanos;
  // On a machine that stood still meanwhile, one of them was a long one.
  if (nanos < 100'000'000) {
    EXPECT_EQ(master_.count(), 0U);
  }
}

TEST_F(StatementReporterTest, ALongStatementIsReportedUntilItEnds) {
  StatementReporter reporter(&master_);
  rows_ = 42;
  const std::string text = "SELECT '" + std::string(390, 'x') + "ééééééé'";
  StatementReporter::Scope scope(&reporter, Statement(text));
  const FakeMaster::Report report = master_.Await(2).back();
  ASSERT_EQ(report.statements.size(), 1U);
  const StatementInfo& info = report.statements[0];
  EXPECT_GE(info.elapsed_us, 100'000);
  EXPECT_EQ(info.rows_read, 42U);
  EXPECT_EQ(info.table, "t");
  EXPECT_EQ(StatementReporter::ProcessName(),
            "process " + std::to_string(info.pid) + " on " + info.host);
  // Cut, but not within a character.
  EXPECT_EQ(info.text, text.substr(0, 400) + "…");
  EXPECT_TRUE(info.id.ends_with("-1")) << info.id;
  EXPECT_TRUE(scope.End(OkStatus()).ok());
  // Its end is reported before End returns, and nothing after that.
  const size_t count = master_.count();
  EXPECT_TRUE(master_.Await(count).back().statements.empty());
  engine::Clock::System()->SleepMicros(250'000);
  EXPECT_EQ(master_.count(), count);
}

TEST_F(StatementReporterTest, AnOrderEndsTheStatementWithItsOwnError) {
  master_.answer = [](const FakeMaster::Report& report, const cluster::CallOptions&) {
    return OrderEach(report);
  };
  StatementReporter reporter(&master_);
  StatementReporter::Scope scope(&reporter, Statement("SELECT 1"));
  AwaitCancel();
  const std::string id = master_.Await(1)[0].statements[0].id;
  const Status ended = scope.End(Cancelled("the call was cancelled"));
  EXPECT_EQ(ended.code(), StatusCode::kCancelled);
  EXPECT_EQ(QueryErrorOf(ended).code, "CANCELLED");
  EXPECT_EQ(QueryErrorOf(ended).message, "cancelled by CANCEL '" + id + "' of process 5");

  // An error that says what was done keeps that, and its hint.
  cancel_->store(false);
  StatementReporter::Scope insert(&reporter, Statement("INSERT"));
  AwaitCancel();
  const QueryError error = QueryErrorOf(insert.End(
      ErrorAt("CANCELLED", {}, "7 rows written", "to go on: …", StatusCode::kCancelled)));
  EXPECT_TRUE(error.message.ends_with("-2' of process 5: 7 rows written")) << error.message;
  EXPECT_EQ(error.hint, "to go on: …");

  // A statement that ends by itself meanwhile keeps its outcome.
  cancel_->store(false);
  StatementReporter::Scope late(&reporter, Statement("SELECT 2"));
  AwaitCancel();
  EXPECT_TRUE(late.End(OkStatus()).ok());
}

TEST_F(StatementReporterTest, AnOrderForAnotherStatementEndsNothing) {
  master_.answer = [](const FakeMaster::Report&, const cluster::CallOptions&) {
    return std::vector<StatementOrder>{{"other-1", "process 5"}};
  };
  StatementReporter reporter(&master_);
  StatementReporter::Scope scope(&reporter, Statement("SELECT 1"));
  master_.Await(2);
  EXPECT_FALSE(cancel_->load());
  EXPECT_EQ(scope.End(Cancelled("by Ctrl-C")), Cancelled("by Ctrl-C"));
}

TEST_F(StatementReporterTest, AMasterThatDoesNotAnswerHoldsUpNothing) {
  // It answers when the caller gives the call up.
  master_.answer =
      [](const FakeMaster::Report&,
         const cluster::CallOptions& options) -> StatusOr<std::vector<StatementOrder>> {
    while (!options.is_cancelled()) engine::Clock::System()->SleepMicros(1000);
    return Cancelled("given up");
  };
  StatementReporter reporter(&master_);
  StatementReporter::Scope scope(&reporter, Statement("SELECT 1"));
  master_.Await(1);
  EXPECT_TRUE(scope.End(OkStatus()).ok());
  EXPECT_EQ(master_.count(), 1U);
}

TEST_F(StatementReporterTest, AMasterOfAnotherVersionIsAskedSeldom) {
  master_.answer = [](const FakeMaster::Report&,
                      const cluster::CallOptions&) -> StatusOr<std::vector<StatementOrder>> {
    return Unimplemented("unknown call");
  };
  StatementReporter reporter(&master_);
  StatementReporter::Scope scope(&reporter, Statement("SELECT 1"));
  master_.Await(1);
  engine::Clock::System()->SleepMicros(500'000);
  EXPECT_EQ(master_.count(), 1U);
  EXPECT_TRUE(scope.End(OkStatus()).ok());
  EXPECT_EQ(master_.count(), 1U);
}

TEST_F(StatementReporterTest, SeveralStatementsOfOneClientEndOneByOne) {
  StatementReporter reporter(&master_);
  StatementReporter::Scope first(&reporter, Statement("SELECT 1"));
  StatementReporter::Scope second(&reporter, Statement("SELECT 2"));
  while (master_.Await(1).back().statements.size() < 2) {
    engine::Clock::System()->SleepMicros(1000);
  }
  EXPECT_TRUE(first.End(OkStatus()).ok());
  const FakeMaster::Report report = master_.Await(1).back();
  ASSERT_EQ(report.statements.size(), 1U);
  EXPECT_EQ(report.statements[0].text, "SELECT 2");
  EXPECT_TRUE(second.End(OkStatus()).ok());
  EXPECT_TRUE(master_.Await(1).back().statements.empty());
}

}  // namespace
}  // namespace sippar::query
