// Streams between members over real sockets: cells, the rows of a program, changes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cluster/net/failure.h"
#include "cluster/wire/call_failure.h"
#include "tests/cluster/wire/line_world.h"

namespace sippar::cluster {
namespace {

constexpr TabletAddress kTablet{7, 3};

Cell CellOf(const std::string& row, std::string value) {
  Cell cell;
  cell.row = row;
  cell.family = "f";
  cell.qualifier = "q";
  cell.timestamp_us = 1'000;
  cell.value = std::move(value);
  return cell;
}

std::vector<Cell> SomeCells(size_t count, size_t size) {
  std::vector<Cell> cells;
  for (size_t i = 0; i < count; ++i) {
    cells.push_back(CellOf("row" + std::to_string(i / 3), std::string(size, 'v')));
  }
  return cells;
}

class LineStreams : public testing::Test {
 protected:
  LineStreams() {
    world_.Begin();
    tablets_ = world_.transport.Tablets(world_.id, net::Lane::kUsers);
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const CallOptions& options = {}) {
    return tablets_->Read(kTablet, ReadSpec(), options);
  }

  LineWorld world_;
  std::shared_ptr<TabletService> tablets_;
};

TEST_F(LineStreams, CellsOfAnySizeComeInOrderWithTheCounters) {
  for (const auto& [count, size] : std::vector<std::pair<size_t, size_t>>{
           {0, 0}, {1, 10}, {5'000, 100}, {30, 300'000}, {2, 5 << 20}}) {
    world_.tablets->cells = SomeCells(count, size);
    engine::ReadCounters counters;
    auto cells = Read({nullptr, 0, &counters});
    ASSERT_TRUE(cells.ok()) << cells.status();
    size_t found = 0;
    for (; (*cells)->Valid(); (*cells)->Next(), ++found) {
      ASSERT_LT(found, count);
      ASSERT_EQ((*cells)->cell().row, world_.tablets->cells[found].row);
      ASSERT_EQ((*cells)->cell().value.size(), size);
      ASSERT_EQ((*cells)->cell().timestamp_us, 1'000);
    }
    EXPECT_EQ(found, count);
    EXPECT_TRUE((*cells)->status().ok()) << (*cells)->status();
    EXPECT_EQ(counters.cells_returned, count);
    EXPECT_EQ(world_.tablets->last_tablet.tablet_epoch, kTablet.tablet_epoch);
  }
}

TEST_F(LineStreams, AServerThatKnowsNoPartsOfValuesGivesWholeOnes) {
  world_.tablets->cells = SomeCells(1, 100);
  world_.tablets->on_read = [](const ReadSpec& read, const CallOptions&) {
    return read.value_part.IsAll() ? OkStatus() : InvalidArgument("request cannot be decoded");
  };
  ReadSpec read;
  read.value_part = {10, 20};
  auto cells = tablets_->Read(kTablet, read, {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  ASSERT_TRUE((*cells)->Valid());
  EXPECT_EQ((*cells)->cell().value.size(), 100u);
  EXPECT_EQ((*cells)->cell().omitted_size, 0u);
  world_.tablets->on_read = [](const ReadSpec&, const CallOptions&) {
    return InvalidArgument("bad columns");
  };
  EXPECT_EQ(tablets_->Read(kTablet, read, {}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(LineStreams, AnErrorComesWhereTheReadIsOpenedOrAfterItsCells) {
  world_.tablets->outcome = NotServed("tablet 7 has left this server");
  EXPECT_EQ(Read().status(), world_.tablets->outcome);
  world_.tablets->cells = SomeCells(3, 10);
  auto cells = Read();
  ASSERT_TRUE(cells.ok()) << cells.status();
  (*cells)->NextRow();
  EXPECT_FALSE((*cells)->Valid());
  EXPECT_EQ((*cells)->status(), world_.tablets->outcome);

  world_.tablets->on_read = [](const ReadSpec&, const CallOptions&) {
    return InvalidArgument("a read of nothing");
  };
  EXPECT_EQ(Read().status(), InvalidArgument("a read of nothing"));
}

TEST_F(LineStreams, WhatAnotherMemberRefusedToTheServerWasNotRefusedToItsCaller) {
  world_.tablets->on_read = [](const ReadSpec&, const CallOptions&) {
    return net::MarkNotBegun(Unavailable("ts2.1: it is stopping"));
  };
  const Status refused = Read().status();
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_FALSE(net::IsNotBegun(refused)) << refused;
}

// Records for each read of one row whether the server was asked to read only from memory.
class ReadsOfOneRow : public LineStreams {
 protected:
  ReadsOfOneRow() {
    world_.tablets->on_read = [this](const ReadSpec&, const CallOptions& options) -> Status {
      from_memory_.push_back(options.from_memory);
      if (options.from_memory && waits_) return Unavailable("block: it is not in memory");
      return OkStatus();
    };
  }
  // Returns the number of value bytes received.
  size_t ReadRow() {
    ReadSpec read;
    read.rows = engine::RowSet(RowRange::Single("row0"));
    engine::ReadCounters counters;
    auto cells = tablets_->Read(kTablet, read, {.cancel = nullptr, .counters = &counters});
    EXPECT_TRUE(cells.ok()) << cells.status();
    size_t bytes = 0;
    for (; cells.ok() && (*cells)->Valid(); (*cells)->Next())
      bytes += (*cells)->cell().value.size();
    EXPECT_TRUE((*cells)->status().ok()) << (*cells)->status();
    EXPECT_EQ(counters.cells_returned, world_.tablets->cells.size());
    return bytes;
  }

  bool waits_ = false;
  std::vector<bool> from_memory_;
};

TEST_F(ReadsOfOneRow, WhatIsInMemoryIsAnsweredAtOnce) {
  for (size_t count : {0U, 1U, 3U}) {
    world_.tablets->cells = SomeCells(count, 1'000);
    from_memory_.clear();
    EXPECT_EQ(ReadRow(), count * 1'000);
    EXPECT_EQ(from_memory_, std::vector<bool>{true});
  }
}

TEST_F(ReadsOfOneRow, WhatIsOnDiskIsReadByAThread) {
  waits_ = true;
  world_.tablets->cells = SomeCells(3, 1'000);
  EXPECT_EQ(ReadRow(), 3'000u);
  EXPECT_EQ(from_memory_, (std::vector<bool>{true, false}));
}

// Such a row would fill the reader's window, and further writes would have to wait for the reader.
TEST_F(ReadsOfOneRow, ALargeRowIsReadByAThread) {
  world_.tablets->cells = SomeCells(3, 5 << 20);
  EXPECT_EQ(ReadRow(), 15u << 20);
  EXPECT_EQ(from_memory_, (std::vector<bool>{true, false}));
}

TEST_F(ReadsOfOneRow, AnErrorIsTheThreads) {
  world_.tablets->outcome = DataLoss("block 3: damaged");
  ReadSpec read;
  read.rows = engine::RowSet(RowRange::Single("row0"));
  auto cells = tablets_->Read(kTablet, read, {});
  ASSERT_TRUE(!cells.ok() || !(*cells)->Valid());
  EXPECT_EQ(cells.ok() ? (*cells)->status() : cells.status(), DataLoss("block 3: damaged"));
  EXPECT_EQ(from_memory_, (std::vector<bool>{true, false}));
}

TEST_F(ReadsOfOneRow, ReadsOfMoreRowsAreNotTried) {
  world_.tablets->cells = SomeCells(4, 10);
  EXPECT_TRUE(Read().ok());
  EXPECT_EQ(from_memory_, std::vector<bool>{false});
}

TEST_F(LineStreams, AReaderThatLeavesEndsTheRead) {
  world_.tablets->cells = SomeCells(100, 1 << 20);
  {
    auto cells = Read();
    ASSERT_TRUE(cells.ok()) << cells.status();
    (*cells)->Next();
  }
  CallOptions options = world_.tablets->last_options;
  ASSERT_NE(options.cancel, nullptr);
  for (int i = 0; i < 10'000 && !options.is_cancelled(); ++i) {
    engine::Clock::System()->SleepMicros(1000);
  }
  EXPECT_TRUE(options.is_cancelled());
}

TEST_F(LineStreams, ACancelledReadReachesTheServersWork) {
  auto cancel = std::make_shared<std::atomic<bool>>(false);
  world_.tablets->on_read = [&](const ReadSpec&, const CallOptions& options) {
    *cancel = true;
    while (!options.is_cancelled()) engine::Clock::System()->SleepMicros(1000);
    return Cancelled("the scan saw the flag");
  };
  EXPECT_EQ(Read({.cancel = cancel}).status().code(), StatusCode::kCancelled);
}

TEST_F(LineStreams, TheServerEndsAReadWhoseTimeIsOverAndSaysWhatItRead) {
  world_.tablets->cells = SomeCells(4, 10);
  world_.tablets->on_read = [&](const ReadSpec&, const CallOptions& options) {
    EXPECT_LE(options.timeout_us, 50'000);
    engine::Clock::System()->SleepMicros(options.timeout_us + 20'000);
    return DeadlineExceeded("the scan took longer than its timeout");
  };
  engine::ReadCounters counters;
  Status late = Read({nullptr, 50'000, &counters}).status();
  EXPECT_EQ(late, DeadlineExceeded("the scan took longer than its timeout"));
  EXPECT_EQ(counters.cells_returned, 4u);
}

TEST_F(LineStreams, AServerThatDoesNotKeepToTheTimeIsLeftAfterAWhile) {
  world_.tablets->on_read = [](const ReadSpec&, const CallOptions& options) {
    while (!options.is_cancelled()) engine::Clock::System()->SleepMicros(1000);
    return Cancelled("the scan saw the flag");
  };
  EXPECT_EQ(Read({nullptr, 50'000}).status().code(), StatusCode::kDeadlineExceeded);
}

// Returns its cells, and then waits until the caller stops waiting.
class StuckCells final : public CellStream {
 public:
  StuckCells(std::vector<Cell> cells, const CallOptions& options)
      : cells_(std::move(cells), Cancelled("the scan saw the flag")), options_(options) {}
  bool Valid() const override { return cells_.Valid(); }
  const CellView& cell() const override { return cells_.cell(); }
  void Next() override {
    cells_.Next();
    while (!cells_.Valid() && !options_.is_cancelled()) {
      engine::Clock::System()->SleepMicros(1000);
    }
  }
  void NextRow() override { Next(); }
  Status status() const override { return cells_.status(); }

 private:
  GivenCells cells_;
  const CallOptions options_;
};

TEST_F(LineStreams, AReadThatBreaksOffSaysWhetherItsLastRowIsWhole) {
  for (bool is_whole : {true, false}) {
    LineWorld world;
    world.Begin();
    // The first part is sent when the last cell arrives, which is in another row or in the same
    // row.
    const std::vector<Cell> cells = {CellOf("a", std::string(40'000, 'v')),
                                     CellOf(is_whole ? "b" : "a", "v")};
    world.tablets->new_cells = [&](const CallOptions& options) {
      return std::make_unique<StuckCells>(cells, options);
    };
    auto tablets = world.transport.Tablets(world.id, net::Lane::kUsers);
    auto found = tablets->Read(kTablet, ReadSpec(), {});
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ((*found)->cell().row, "a");
    world.server.server->Stop(0);
    (*found)->Next();
    EXPECT_FALSE((*found)->Valid());
    const Status broken = (*found)->status();
    EXPECT_EQ(broken.code(), StatusCode::kUnavailable) << broken;
    EXPECT_EQ(IsMarked(kRowIsWhole, broken), is_whole);
  }
}

engine::ProgramBatch BatchOf(const std::string& last_row, size_t rows) {
  engine::ProgramBatch batch;
  batch.rows.resize(rows);
  batch.last_row = last_row;
  batch.rows_seen = rows;
  return batch;
}

class CountingSink final : public engine::ProgramSink {
 public:
  explicit CountingSink(size_t batches_max) : batches_max_(batches_max) {}
  bool Emit(engine::ProgramBatch batch) override {
    rows.push_back(batch.last_row + ":" + std::to_string(batch.rows.size()));
    return rows.size() < batches_max_;
  }
  std::vector<std::string> rows;

 private:
  const size_t batches_max_;
};

TEST_F(LineStreams, TheRowsOfAProgramComeInBatchesUntilTheSinkHasEnough) {
  // The second batch is larger than a part.
  world_.tablets->batches = {BatchOf("a", 3), BatchOf("b", 3 << 20), BatchOf("c", 0)};
  engine::ReadCounters counters;
  CountingSink all(10);
  EXPECT_TRUE(tablets_->Run(kTablet, engine::Program(), {nullptr, 0, &counters}, &all).ok());
  EXPECT_EQ(all.rows, (std::vector<std::string>{"a:3", "b:3145728", "c:0"}));
  EXPECT_EQ(counters.cells_returned, 3u);
  CountingSink one(1);
  EXPECT_TRUE(tablets_->Run(kTablet, engine::Program(), {}, &one).ok());
  EXPECT_EQ(one.rows, std::vector<std::string>{"a:3"});
}

TEST_F(LineStreams, AnErrorOfAProgramComesAfterItsRows) {
  world_.tablets->batches = {BatchOf("a", 3)};
  world_.tablets->outcome = NotServed("tablet 7 has left this server");
  CountingSink cut(10);
  EXPECT_EQ(tablets_->Run(kTablet, engine::Program(), {}, &cut), world_.tablets->outcome);
  EXPECT_EQ(cut.rows.size(), 1u);
}

// Two batches that are available at once, then silence, then the end.
class GivenChanges final : public ChangeStream {
 public:
  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    ++round_;
    ChangeBatch batch;
    batch.token = "t" + std::to_string(round_);
    if (round_ == 1) return batch;  // shows that the request is valid
    if (round_ == 3) {
      engine::Clock::System()->SleepMicros(std::min<int64_t>(wait_us, 50'000));
      return batch;
    }
    batch.changes.resize(1);
    batch.changes[0].mutation.row = "row" + std::to_string(round_);
    batch.is_over = round_ == 4;
    return batch;
  }

 private:
  int round_ = 0;
};

// Reports that its tablet has moved, as a tablet server does from then on.
class MovedChanges final : public ChangeStream {
 public:
  explicit MovedChanges(std::atomic<int>* asked) : asked_(asked) {}
  StatusOr<ChangeBatch> Next(int64_t) override {
    ChangeBatch batch;
    batch.token = "t";
    batch.is_elsewhere = ++*asked_ > 1;
    return batch;
  }

 private:
  std::atomic<int>* const asked_;
};

TEST_F(LineStreams, AReaderOfChangesLearnsAtOnceThatTheTabletHasMoved) {
  std::atomic<int> asked{0};
  world_.tablets->on_changes = [&](const ChangesRequest&,
                                   const CallOptions&) -> StatusOr<std::unique_ptr<ChangeStream>> {
    return std::unique_ptr<ChangeStream>(std::make_unique<MovedChanges>(&asked));
  };
  auto stream = tablets_->ReadChanges(kTablet, {}, {});
  ASSERT_TRUE(stream.ok()) << stream.status();
  auto batch = (*stream)->Next(60'000'000);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_TRUE(batch->is_elsewhere);
  EXPECT_EQ(asked, 2);  // the server asks no further
}

TEST_F(LineStreams, ChangesComeAsTheyAreMadeAndASilentStreamIsNotOver) {
  world_.tablets->on_changes = [](const ChangesRequest& request,
                                  const CallOptions&) -> StatusOr<std::unique_ptr<ChangeStream>> {
    if (request.start_us == 1) return TooOld("the stream keeps an hour");
    return std::unique_ptr<ChangeStream>(std::make_unique<GivenChanges>());
  };
  ChangesRequest old_start;
  old_start.start_us = 1;
  Status refused = tablets_->ReadChanges(kTablet, old_start, {}).status();
  EXPECT_TRUE(HasCause(refused, Cause::kTooOld)) << refused;

  auto stream = tablets_->ReadChanges(kTablet, {}, {});
  ASSERT_TRUE(stream.ok()) << stream.status();
  std::vector<std::string> rows;
  bool is_over = false;
  while (!is_over) {
    auto batch = (*stream)->Next(10'000'000);
    ASSERT_TRUE(batch.ok()) << batch.status();
    for (const Change& change : batch->changes) rows.push_back(change.mutation.row);
    is_over = batch->is_over;
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"row2", "row4"}));
}

}  // namespace
}  // namespace sippar::cluster
