// Rows D6, D7, D19, O3, O4: a disk that rejects writes. Writes fail with the reason, reads
// continue, the store opens, and writes succeed again as soon as the disk accepts them.
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/faults/fault_rows.h"

namespace sippar::engine {
namespace {

using ::testing::HasSubstr;

TEST_F(FaultRows, D6_AFullDiskIsOpenedAndReadAndWritableAgainWhenSpaceReturns) {
  OpenAndCreate();
  PutRows(0, 20);
  ASSERT_TRUE(store_->Flush("t").ok());
  PutRows(20, 30);
  memory_.SetCapacity(memory_.used_bytes());
  EXPECT_EQ(Put("new", "x").code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(Rows(), Expected(30));
  Open();
  EXPECT_EQ(Rows(), Expected(30));
  for (int i = 0; i < 3; ++i) {
    Status status = Put("new", "x");
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("no space left"));
  }
  EXPECT_EQ(store_->Flush("t").code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(store_->CompactMajor("t", "").code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(Rows(), Expected(30));
  memory_.SetCapacity(0);
  PutRows(30, 40);  // by the same store
  EXPECT_TRUE(store_->CompactMajor("t", "").ok());
  Open();
  EXPECT_EQ(Rows(), Expected(40));
}

TEST_F(FaultRows, D6_OnAFullDiskATableCanBeDroppedToMakeRoom) {
  OpenAndCreate();
  PutRows(0, 50, 1000);
  ASSERT_TRUE(store_->Flush("t").ok());
  memory_.SetCapacity(memory_.used_bytes());
  ASSERT_EQ(Put("new", "x").code(), StatusCode::kResourceExhausted);
  Open();
  Status dropped = store_->DropTable("t");
  ASSERT_TRUE(dropped.ok()) << dropped;
  EXPECT_TRUE(Files("*.sst").empty());
  Create();
  PutRows(0, 10);
  Open();
  EXPECT_EQ(Rows(), Expected(10));
}

// Every write and every file creation of each job fails once; earlier data is unharmed, no file is
// left behind, and the job succeeds when it is repeated.
TEST_F(FaultRows, D7_ADiskThatFillsUpDuringAJobLosesNothing) {
  auto flush = [&] { return store_->Flush("t"); };
  auto compact = [&] { return store_->CompactMajor("t", ""); };
  auto split = [&] { return store_->Split("t", Row(7)); };
  auto merge = [&] { return store_->Merge("t", RowRange::All()); };
  struct Job {
    const char* name;
    std::function<Status()> run;
    std::function<Status()> prepare;
  };
  const Job kJobs[] = {{"flush", flush, merge},
                       {"major compaction", compact, merge},
                       {"split", split, merge},
                       {"merge", merge, split}};
  OpenAndCreate();
  PutRows(0, 10);
  ASSERT_TRUE(store_->Flush("t").ok());
  int rows = 10;
  for (const Job& job : kJobs) {
    int failed = 0;
    for (const char* operation : {"write", "create"}) {
      bool hit = true;
      for (int n = 1; hit; ++n) {
        SCOPED_TRACE(fmt::format("{}: {} {}", job.name, operation, n));
        ASSERT_TRUE(job.prepare().ok());
        PutRows(rows, rows + 1);
        ++rows;
        uint64_t faults = fs_.faults();
        Fault(fmt::format("full {} * {}", operation, n));
        Status status = job.run();
        hit = fs_.faults() > faults;
        fs_.ClearRules();
        EXPECT_EQ(Rows(), Expected(rows));
        if (!hit) break;
        ++failed;
        EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
        Status again = job.run();
        EXPECT_TRUE(again.ok()) << again;
        ASSERT_EQ(Rows(), Expected(rows));
      }
    }
    EXPECT_GE(failed, 4) << job.name;
  }
  ASSERT_TRUE(merge().ok() && compact().ok());
  Open();
  EXPECT_EQ(Rows(), Expected(rows));
  EXPECT_EQ(Files("*.sst").size(), NamedFiles(store_.get()));
  EXPECT_TRUE(Files("*.tmp").empty());
}

TEST_F(FaultRows, D19_AReadOnlyFileSystemIsOpenedAndRead) {
  OpenAndCreate();
  PutRows(0, 10);
  ASSERT_TRUE(store_->Flush("t").ok());
  PutRows(10, 20);
  for (const char* change : {"create", "write", "rename", "remove", "mkdir"}) {
    Fault(fmt::format("deny {} * 1+", change));
  }
  EXPECT_EQ(Put("new", "x").code(), StatusCode::kUnavailable);
  Open();
  EXPECT_EQ(Rows(), Expected(20));
  EXPECT_EQ(Put("new", "x").code(), StatusCode::kUnavailable);
  EXPECT_EQ(store_->Flush("t").code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(Rows(), Expected(20));
  fs_.ClearRules();
  PutRows(20, 30);
  EXPECT_EQ(Rows(), Expected(30));
}

// HBASE-25880: a failed or cancelled compaction leaves no run marked as being compacted.
TEST_F(FaultRows, O4_AFailedCompactionLeavesNoRunBusy) {
  OpenAndCreate();
  for (int run = 0; run < 5; ++run) {
    PutRows(0, 5);
    ASSERT_TRUE(store_->Flush("t").ok());
  }
  auto tablet = store_->Tablets("t")->front();
  int failed = 0;
  for (int n = 1; fs_.faults() == static_cast<uint64_t>(n) - 1; ++n) {
    Fault(fmt::format("fail any * {}", n));
    failed += tablet->CompactOnce().ok() ? 0 : 1;
    fs_.ClearRules();
    std::vector<CompactionCandidate> candidates;
    tablet->compactor().AddCandidates(&candidates);
    ASSERT_EQ(candidates.size(), 2u);
    for (const CompactionCandidate& candidate : candidates) {
      for (const RunInfo& run : candidate.runs) EXPECT_FALSE(run.busy) << n;
    }
    EXPECT_EQ(Rows(), Expected(5));
  }
  EXPECT_GT(failed, 5);
  tablet.reset();
  EXPECT_TRUE(store_->CompactMajor("t", "").ok());
}

// With a full disk, memtables stay within twice their budget and every writer gets the reason.
TEST_F(FaultRows, O3_MemtablesThatCannotBeFlushedStayWithinTheirBound) {
  options_.background = true;
  options_.memtable_budget = 1 << 20;
  options_.memtable_size = 256 << 10;
  options_.clock = Clock::System();
  OpenAndCreate();
  Fault("full create *.sst* 1+");
  Status status;
  int written = 0;
  for (; written < 2000 && status.ok(); ++written) {
    status = Put(Row(written), Value(written, 10'000));
  }
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("memtables are full: minor compaction"));
  EXPECT_LT(store_->host()->memtable_bytes(), (2 << 20) + (512 << 10));
  EXPECT_EQ(Rows(), Expected(written - 1, 10'000));
  EXPECT_GT(store_->metrics()->Get("writer_delay_us")->value(), 0u) << "slowed before stopped";
  fs_.ClearRules();
  for (int i = 0; i < 500 && !status.ok(); ++i) {
    Clock::System()->SleepMicros(10'000);
    status = Put("later", "x");
  }
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace sippar::engine
