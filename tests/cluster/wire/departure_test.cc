// A member stops serving its store: calls in flight, late calls, and streams, which their readers
// continue at the next member.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/departure.h"

#include <gtest/gtest.h>

#include "cluster/wire/call_failure.h"
#include "cluster/wire/line_ports.h"
#include "tests/cluster/wire/line_world.h"

namespace sippar::cluster {
namespace {

const TabletAddress kTablet{7, 3};

void AwaitTrue(const std::atomic<bool>& flag) {
  while (!flag) engine::Clock::System()->SleepMicros(1000);
}

// DropTable waits until the test lets it continue; other calls do nothing.
class WaitingAdmin final : public AdminApi {
 public:
  void Carry(const AnyCall& call, const CallOptions&) override {
    if (std::holds_alternative<Pending<calls::DropTable>>(call)) {
      has_begun = true;
      AwaitTrue(goes_on);
      ++dropped;
    }
    AnswerBy(call, []<class Call>(const Call&) -> Answer<Call> {
      if constexpr (std::is_same_v<Answer<Call>, Status>) {
        return OkStatus();
      } else {
        return NotFound("nothing");
      }
    });
  }
  std::atomic<bool> has_begun{false}, goes_on{false};
  std::atomic<int> dropped{0};
};

class DepartureTest : public testing::Test {
 protected:
  DepartureTest() {
    world_.addresses.PutMaster(world_.server.address);
    service().Begin({.admin = admin_, .tablets = world_.tablets, .control = world_.control});
    tablets_ = world_.transport.Tablets(world_.id, net::Lane::kUsers);
    caller_ = world_.transport.Admin();
  }
  ~DepartureTest() override { admin_->goes_on = true; }
  MemberService& service() { return world_.server.service; }
  engine::Thread LeaveLater() {
    return engine::Thread("leave", [this] {
      service().Leave();
      has_left_ = true;
    });
  }
  static void ExpectCut(const Status& status, bool is_whole) {
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    EXPECT_TRUE(IsMarked(kCut, status)) << status;
    EXPECT_FALSE(net::IsNotBegun(status)) << status;
    EXPECT_EQ(IsMarked(kRowIsWhole, status), is_whole) << status;
  }

  const std::shared_ptr<WaitingAdmin> admin_ = std::make_shared<WaitingAdmin>();
  std::atomic<bool> has_left_{false};
  LineWorld world_;
  std::shared_ptr<TabletService> tablets_;
  std::shared_ptr<AdminApi> caller_;
};

TEST_F(DepartureTest, ARunningChangeIsFinishedAndALaterOneIsNotBegun) {
  engine::Thread running("running",
                         [this] { EXPECT_TRUE(caller_->Do(calls::DropTable{"t"}).ok()); });
  AwaitTrue(admin_->has_begun);
  engine::Thread leave = LeaveLater();
  // The gate may still be open for a change that does not wait.
  Status late;
  while (late.ok()) late = caller_->Do(calls::PutRecord{"a", "b", 0});
  EXPECT_EQ(late.code(), StatusCode::kUnavailable) << late;
  EXPECT_TRUE(net::IsNotBegun(late)) << late;
  EXPECT_NE(MessageOf(late).find("nothing was done"), std::string_view::npos) << late;
  // Calls that can be repeated are served to the end.
  EXPECT_EQ(caller_->Do(calls::GetTable{"t"}).status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(has_left_);
  admin_->goes_on = true;
  leave.Join();
  running.Join();
  EXPECT_EQ(admin_->dropped, 1);
}

TEST_F(DepartureTest, WithoutACallThereIsNothingToLeave) {
  service().Leave();
  EXPECT_EQ(service().calls_begun(), 0u);
  EXPECT_TRUE(caller_->Do(calls::PutRecord{"a", "b", 0}).ok());
  EXPECT_EQ(service().calls_begun(), 1u);
}

// An endless sequence of rows with three cells, one cell each millisecond.
class SlowCells final : public CellStream {
 public:
  SlowCells() { Show(); }
  bool Valid() const override { return true; }
  const CellView& cell() const override { return view_; }
  void Next() override {
    engine::Clock::System()->SleepMicros(1000);
    ++at_;
    Show();
  }
  void NextRow() override { Next(); }
  Status status() const override { return OkStatus(); }

 private:
  void Show() {
    cell_ = Cell();
    cell_.row = "row" + std::to_string(1'000'000 + at_ / 3);
    cell_.family = "f";
    cell_.qualifier = std::to_string(at_ % 3);
    view_ = cell_.view();
  }
  int at_ = 0;
  Cell cell_;
  CellView view_;
};

TEST_F(DepartureTest, AReadEndsWithAWholeRowAndALaterOneDoesNotBegin) {
  world_.tablets->new_cells = [](const CallOptions&) { return std::make_unique<SlowCells>(); };
  auto cells = tablets_->Read(kTablet, ReadSpec(), {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  engine::Thread leave = LeaveLater();
  int count = 0;
  for (; (*cells)->Valid(); (*cells)->Next()) ++count;
  ExpectCut((*cells)->status(), /*is_whole=*/true);
  EXPECT_GT(count, 0);
  EXPECT_EQ(count % 3, 0);
  leave.Join();
  Status late = tablets_->Read(kTablet, ReadSpec(), {}).status();
  EXPECT_EQ(late.code(), StatusCode::kUnavailable) << late;
  EXPECT_TRUE(net::IsNotBegun(late)) << late;
}

// Neither a scan that finds nothing nor a reader that reads nothing delays the member's departure.
TEST_F(DepartureTest, AReadThatDoesNotMoveIsEndedWhereItIs) {
  std::atomic<bool> is_cancelled{false};
  world_.tablets->on_read = [&](const ReadSpec&, const CallOptions& options) {
    while (!options.is_cancelled()) engine::Clock::System()->SleepMicros(1000);
    is_cancelled = true;
    return Cancelled("the scan saw the flag");
  };
  engine::Thread reader("reader", [this] {
    ExpectCut(tablets_->Read(kTablet, ReadSpec(), {}).status(), /*is_whole=*/false);
  });
  while (service().calls_begun() == 0) engine::Clock::System()->SleepMicros(1000);
  service().Leave();
  reader.Join();
  AwaitTrue(is_cancelled);
}

TEST_F(DepartureTest, AReaderThatTakesNothingIsLeftWithWhatItHas) {
  for (int row = 0; row < 100; ++row) {
    Cell& cell = world_.tablets->cells.emplace_back();
    cell.row = "row" + std::to_string(100 + row);
    cell.family = "f";
    cell.value = std::string(1 << 20, 'v');
  }
  auto cells = tablets_->Read(kTablet, ReadSpec(), {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  service().Leave();
  int count = 0;
  for (; (*cells)->Valid(); (*cells)->Next()) ++count;
  EXPECT_GT(count, 0);
  EXPECT_LT(count, 100);
  EXPECT_EQ((*cells)->status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsMarked(kCut, (*cells)->status())) << (*cells)->status();
}

engine::ProgramBatch LargeBatch(const std::string& last_row) {
  engine::ProgramBatch batch;
  batch.rows.resize(1);
  batch.rows[0].push_back(engine::Value::Bytes(std::string(1 << 20, 'v')));
  batch.last_row = last_row;
  batch.rows_seen = 1;
  return batch;
}

class SlowSink final : public engine::ProgramSink {
 public:
  bool Emit(engine::ProgramBatch batch) override {
    engine::Clock::System()->SleepMicros(20'000);
    last_row = batch.last_row;
    return true;
  }
  std::string last_row;
};

TEST_F(DepartureTest, AProgramWhoseRowsComeInOrderEndsAfterOneOfThem) {
  for (int row = 100; row < 200; ++row) {
    world_.tablets->batches.push_back(LargeBatch("row" + std::to_string(row)));
  }
  CallOptions probe;
  EXPECT_TRUE(caller_->Do(calls::PutRecord{"a", "b", 0}, probe).ok());  // keeps Leave waiting
  SlowSink sink;
  engine::Thread leave;
  engine::Program program;
  engine::Thread starter("starter", [&] {
    while (world_.tablets->emitted == 0) engine::Clock::System()->SleepMicros(1000);
    leave = LeaveLater();
  });
  Status ended = tablets_->Run(kTablet, program, {}, &sink);
  starter.Join();
  leave.Join();
  EXPECT_EQ(ended.code(), StatusCode::kUnavailable) << ended;
  EXPECT_TRUE(IsMarked(kCut, ended)) << ended;
  EXPECT_FALSE(sink.last_row.empty());
  EXPECT_LT(sink.last_row, "row199");
}

// Waits for changes as long as its caller allows.
class NoChanges final : public ChangeStream {
 public:
  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    engine::Clock::System()->SleepMicros(std::min<int64_t>(wait_us, 1'000'000));
    return ChangeBatch();
  }
};

TEST_F(DepartureTest, AStreamOfChangesIsEndedAndNoOtherBegins) {
  world_.tablets->on_changes = [](const ChangesRequest&,
                                  const CallOptions&) -> StatusOr<std::unique_ptr<ChangeStream>> {
    return std::unique_ptr<ChangeStream>(std::make_unique<NoChanges>());
  };
  auto stream = tablets_->ReadChanges(kTablet, {}, {});
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(service().calls_begun(), 0u);
  EXPECT_TRUE(caller_->Do(calls::PutRecord{"a", "b", 0}).ok());
  service().Leave();
  Status ended = OkStatus();
  while (ended.ok()) ended = (*stream)->Next(100'000).status();
  ExpectCut(ended, /*is_whole=*/false);
  Status late = tablets_->ReadChanges(kTablet, {}, {}).status();
  EXPECT_TRUE(net::IsNotBegun(late)) << late;
}

}  // namespace
}  // namespace sippar::cluster
