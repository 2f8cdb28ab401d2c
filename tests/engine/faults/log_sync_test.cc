// Rows D9, D10, D17, D18, D21: log syncs that fail, are slow, never return, or sync a file that was
// deleted.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "engine/log/log_replay.h"
#include "tests/engine/faults/fault_rows.h"

namespace sippar::engine {
namespace {

using ::testing::HasSubstr;

// Rejected rows may exist or not; all acknowledged rows must exist.
void ExpectAcknowledged(const std::map<std::string, std::string>& found,
                        const std::map<std::string, std::string>& acknowledged) {
  for (const auto& [row, value] : acknowledged) {
    auto at = found.find(row);
    ASSERT_TRUE(at != found.end()) << row << " is lost";
    EXPECT_EQ(at->second, value);
  }
}

TEST_F(FaultRows, D9_FailedLogSyncIsNeverRetried) {
  OpenAndCreate();
  store_.reset();
  std::unique_ptr<MemoryFileSystem> start = Disk();
  for (int n = 1; n <= 200; ++n) {
    SCOPED_TRACE(n);
    Random random(static_cast<uint64_t>(n));
    std::unique_ptr<MemoryFileSystem> disk = start->CrashClone(&random);
    FaultFileSystem faulty(disk.get());
    store_ = std::move(*OpenOn(&faulty));
    // Every later sync of the same segment fails as well, and is counted.
    faulty.AddRule(*FaultRule::Parse(fmt::format("fail sync *-00000001.log {}+", n)));
    RowValues acknowledged;
    int refused = 0;
    for (int i = 0; i < n + 3; ++i) {
      Status status = Put(Row(i), Value(i));
      if (status.ok()) acknowledged[Row(i)] = Value(i);
      if (status.ok()) continue;
      ++refused;
      EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
      EXPECT_FALSE(Rows().contains(Row(i))) << "visible without being durable";
    }
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(faulty.faults(), 1u) << "asked again after a failure";
    ExpectAcknowledged(Rows(), acknowledged);
    std::unique_ptr<MemoryFileSystem> crashed = disk->CrashClone(&random);
    ExpectAcknowledged(Rows(std::move(*OpenOn(crashed.get())).get()), acknowledged);
    store_.reset();
  }
}

// Linux behaves like this: it reports the error once, marks the pages clean, and the next sync
// returns OK.
TEST_F(FaultRows, D10_ASyncAfterAFailedOneIsNotBelieved) {
  for (int n = 2; n <= 12; ++n) {
    SCOPED_TRACE(n);
    MemoryFileSystem disk;
    FaultFileSystem faulty(&disk);
    store_ = std::move(*OpenOn(&faulty));
    Create();
    faulty.AddRule(*FaultRule::Parse(fmt::format("fail sync *-00000001.log {}", n)));
    faulty.AddRule(*FaultRule::Parse(fmt::format("lie sync *-00000001.log {}+", n)));
    RowValues acknowledged;
    for (int i = 0; i < 15; ++i) {
      if (Put(Row(i), Value(i)).ok()) acknowledged[Row(i)] = Value(i);
    }
    EXPECT_EQ(acknowledged.size(), 14u);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      std::unique_ptr<MemoryFileSystem> crashed = disk.CrashClone(&random);
      auto store = OpenOn(crashed.get());
      ASSERT_TRUE(store.ok()) << store.status();
      ExpectAcknowledged(Rows(store->get()), acknowledged);
    }
    store_.reset();
  }
}

// A server killed before its sync leaves a row only in the machine's memory. The next start may
// show the row only once it is durable (found by the simulation, seeds 1214, 1301, 2445).
TEST_F(FaultRows, D9_WhatAStartShowsIsDurableOrItFails) {
  for (const char* fault :
       {"fail create", "fail write", "fail sync", "fail rename", "full write"}) {
    SCOPED_TRACE(fault);
    MemoryFileSystem disk;
    FaultFileSystem faulty(&disk);
    auto fail = [&](const std::string& rule) { faulty.AddRule(*FaultRule::Parse(rule)); };
    store_ = std::move(*OpenOn(&faulty));
    Create();
    PutRows(0, 5);
    fail("lie sync *.log 1+");
    PutRows(5, 6);
    fail("fail write *.log 1+");  // prevents a clean end, as a kill does
    store_.reset();
    faulty.ClearRules();
    fail(fmt::format("{} *.log* 1+", fault));
    auto store = OpenOn(&faulty);
    bool can_be_read = std::string_view(fault).starts_with("full");
    if (!can_be_read) {
      EXPECT_EQ(store.status().code(), StatusCode::kUnavailable) << store.status();
      faulty.ClearRules();
      store = OpenOn(&faulty);
    }
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ((*store)->metrics()->Get("log_settled_in_place")->value(), can_be_read ? 1u : 0u);
    EXPECT_EQ(Rows(store->get()), Expected(6));
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      std::unique_ptr<MemoryFileSystem> crashed = disk.CrashClone(&random);
      EXPECT_EQ(Rows(std::move(*OpenOn(crashed.get())).get()), Expected(6));
    }
  }
}

TEST_F(FaultRows, D21_ALogTakenAwayAcknowledgesNothingAndWhatIsInMemoryCanBeFlushed) {
  OpenAndCreate();
  PutRows(0, 5);
  for (const std::string& log : Files("*.log")) ASSERT_TRUE(memory_.Remove(log).ok());
  for (int i = 5; i < 8; ++i) {
    Status status = Put(Row(i), Value(i));
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("was removed or renamed"));
  }
  EXPECT_EQ(Rows(), Expected(5));
  EXPECT_TRUE(store_->Flush("t").ok());
  Open();
  EXPECT_EQ(Rows(), Expected(5));
  PutRows(5, 8);
  EXPECT_EQ(Rows(), Expected(8));
}

// A log with two writers on a disk that hangs on command.
class HangingLog {
 public:
  explicit HangingLog(int64_t wait_us_max) : faulty_(&memory_) {
    EXPECT_TRUE(memory_.CreateDir("/wal").ok());
    EXPECT_TRUE(memory_.SyncDir("/").ok());
    faulty_.OnSync([this] {
      while (hanging) Clock::System()->SleepMicros(1'000);
    });
    CommitLogOptions options;
    options.fs = &faulty_;
    options.directory = "/wal";
    options.epoch = 1;
    options.metrics = &metrics_;
    options.clock = Clock::System();
    options.two_writers = true;
    options.wait_us_max = wait_us_max;
    log_ = std::make_unique<CommitLog>(options, SegmentId{}, 0, LogSegments());
  }

  Status Put(const std::string& row) {
    CommitLog::Write write;
    write.tablet_id = 1;
    write.body.assign(8, '\0');
    RowMutation mutation(row);
    AppendLogBody(&write.body, 1, 0, mutation.Set("f", "q", "v", 1));
    write.entry_count = 1;
    write.next_sequence = &next_sequence_;
    write.apply = [&, row](uint64_t) { visible_.push_back(row); };
    CommitLog::Write* pointer = &write;
    return log_->Append({&pointer, 1});
  }

  // Requires: no write is in progress.
  const std::vector<std::string>& visible() const { return visible_; }
  std::vector<std::string> Replayed() {
    EXPECT_TRUE(log_->Close().ok());
    std::vector<std::string> rows;
    auto log = ReplayLog(
        &memory_, "/wal", [](uint64_t) { return uint64_t{0}; },
        [&](const LogRecord& record) {
          if (record.first_sequence > rows.size()) rows.push_back(record.mutation.row);
          return OkStatus();
        });
    EXPECT_TRUE(log.ok()) << log.status();
    return rows;
  }
  FaultFileSystem* faulty() { return &faulty_; }
  uint64_t refused() { return metrics_.Get("log_writes_refused")->value(); }

  std::atomic<bool> hanging{false};

 private:
  MemoryFileSystem memory_;
  FaultFileSystem faulty_;
  Metrics metrics_;
  uint64_t next_sequence_ = 1;
  std::vector<std::string> visible_;  // only the current leader adds to it
  std::unique_ptr<CommitLog> log_;
};

TEST(FaultRowsOfTheLog, D17_WhenBothWritersAreSlowTheQueueIsBounded) {
  HangingLog log(/*wait_us_max=*/150'000);
  log.faulty()->AddRule(*FaultRule::Parse("delay:250 sync * 1+"));
  std::atomic<int> acknowledged{0};
  {
    std::vector<Thread> writers;
    for (int t = 0; t < 8; ++t) {
      writers.emplace_back("writer", [&, t] {
        Clock::System()->SleepMicros(t * 20'000);
        for (int i = 0; i < 4; ++i) {
          Status status = log.Put(fmt::format("{}-{}", t, i));
          acknowledged += status.ok() ? 1 : 0;
          EXPECT_TRUE(status.ok() || status.code() == StatusCode::kUnavailable) << status;
        }
      });
    }
  }
  EXPECT_GT(log.refused(), 0u);
  EXPECT_GT(acknowledged, 0);
  EXPECT_EQ(log.visible().size(), static_cast<size_t>(acknowledged));
  EXPECT_EQ(log.Replayed(), log.visible()) << "what was refused is not in the log";
}

TEST(FaultRowsOfTheLog, D18_ADiskThatHangsHoldsTheWritesInItsHandsAndRefusesTheRest) {
  HangingLog log(/*wait_us_max=*/200'000);
  ASSERT_TRUE(log.Put("before").ok());
  log.hanging = true;
  Status held = Internal("not answered");
  Thread holder("writer", [&] { held = log.Put("held"); });
  Clock::System()->SleepMicros(20'000);
  {
    std::vector<Thread> writers;
    for (int t = 0; t < 3; ++t) {
      writers.emplace_back("writer", [&, t] {
        Status status = log.Put(fmt::format("refused-{}", t));
        EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
        EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("the disk has not answered"));
      });
    }
  }
  EXPECT_EQ(log.refused(), 3u);
  log.hanging = false;
  holder.Join();
  EXPECT_TRUE(held.ok()) << held;
  ASSERT_TRUE(log.Put("after").ok());
  EXPECT_EQ(log.visible(), (std::vector<std::string>{"before", "held", "after"}));
  EXPECT_EQ(log.Replayed(), log.visible());
}

}  // namespace
}  // namespace sippar::engine
