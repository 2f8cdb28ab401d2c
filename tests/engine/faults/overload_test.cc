// Rows O5 and O14: a flush that hangs, and a range full of tombstones. Row P17: a drained store.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "tests/engine/faults/fault_rows.h"

namespace sippar::engine {
namespace {

using ::testing::HasSubstr;

// A clock that runs a hundred times as fast, so that tests can wait for limits of seconds.
class FastClock final : public Clock {
 public:
  int64_t NowMicros() override { return System()->NowMicros(); }
  int64_t MonotonicNanos() override { return System()->MonotonicNanos() * 100; }
  void SleepMicros(int64_t micros) override { System()->SleepMicros(micros / 100); }
};

TEST_F(FaultRows, O5_AFlushThatHangsIsNamedAndWritersAreRefusedInBoundedTime) {
  FastClock clock;
  options_.clock = &clock;
  options_.background = true;
  options_.memtable_budget = 1 << 20;
  options_.memtable_size = 256 << 10;
  OpenAndCreate();
  std::atomic<bool> hanging{true};
  CrashPoints::Arm([&](const char* name) {
    while (hanging && std::string_view(name) == "sstable.written") {
      Clock::System()->SleepMicros(1'000);
    }
  });
  Status status;
  int written = 0;
  for (; written < 2000 && status.ok(); ++written) {
    status = Put(Row(written), Value(written, 10'000));
  }
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("no flush has made room"));
  EXPECT_LT(store_->host()->memtable_bytes(), (2 << 20) + (512 << 10));
  ASSERT_FALSE(store_->host()->Compactions().empty());
  CompactionRecord stuck = store_->host()->Compactions().back();
  EXPECT_EQ(stuck.status, "running");
  EXPECT_EQ(stuck.kind, CompactionKind::kMinor);
  EXPECT_GT(stuck.duration_us, 0);
  EXPECT_EQ(Rows(), Expected(written - 1, 10'000));
  hanging = false;
  for (int i = 0; i < 1000 && !status.ok(); ++i) {
    Clock::System()->SleepMicros(10'000);
    status = Put(Row(written - 1), Value(written - 1, 10'000));
  }
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(Rows(), Expected(written, 10'000));
  store_.reset();  // destroyed before the clock, which its threads use
}

TEST_F(FaultRows, O14_AScanInsideTombstonesEndsInTimeAndTheyAreCompactedAway) {
  OpenAndCreate();
  constexpr int kRows = 30'000;
  std::vector<RowMutation> rows;
  for (int i = 0; i < kRows; ++i) rows.push_back(RowMutation(fmt::format("r{:06}", i)).DeleteRow());
  std::vector<const RowMutation*> batch;
  for (const RowMutation& row : rows) batch.push_back(&row);
  for (const Status& status : store_->Apply("t", batch)) ASSERT_TRUE(status.ok()) << status;
  auto tablet = store_->Tablets("t")->front();
  std::atomic<bool> cancelled{true};
  for (bool flushed : {false, true}) {
    if (flushed) ASSERT_TRUE(store_->Flush("t").ok());
    for (bool reverse : {false, true}) {
      SCOPED_TRACE(fmt::format("flushed {}, reverse {}", flushed, reverse));
      ReadSpec read;
      read.reverse = reverse;
      StopSignal late;
      late.clock = Clock::System();
      late.deadline_nanos = late.clock->MonotonicNanos() - 1;
      StopSignal unwanted;
      unwanted.cancel = &cancelled;
      for (const StopSignal* stop : {&late, &unwanted}) {
        ReadCounters counters;
        auto cells = *tablet->Read(read, stop, &counters);
        EXPECT_FALSE(cells->Valid());
        EXPECT_EQ(cells->status().code(),
                  stop == &late ? StatusCode::kDeadlineExceeded : StatusCode::kCancelled);
        cells.reset();
        EXPECT_LT(counters.entries_seen, 10'000u) << "noticed long after it was over";
      }
    }
  }
  auto compacted = tablet->CompactOnce();
  ASSERT_TRUE(compacted.ok() && *compacted) << compacted.status();
  compacted = tablet->CompactOnce();
  ASSERT_TRUE(compacted.ok() && *compacted) << compacted.status();
  EXPECT_TRUE(Files("*.sst").empty()) << "nothing but tombstones was in them";
}

TEST_F(FaultRows, P17_AfterADrainTheNextStartReadsNoLog) {
  OpenAndCreate();
  PutRows(0, 20);
  ASSERT_TRUE(store_->Flush("t").ok());
  ASSERT_TRUE(store_->Close().ok());
  EXPECT_TRUE(Files("*.log").empty());
  Open();
  EXPECT_EQ(store_->metrics()->Get("log_bytes_replayed")->value(), 0u);
  EXPECT_EQ(Rows(), Expected(20));
}

}  // namespace
}  // namespace sippar::engine
