// Background work: the major cycle, retries, slow disks, closing during a compaction.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

constexpr int64_t kHour = 3'600'000'000;
constexpr int64_t kSecond = 1'000'000;

class BackgroundTest : public testing::Test {
 protected:
  BackgroundTest() : fs_(&memory_), clock_(1'000'000 * kHour) {
    options_.fs = &fs_;
    options_.clock = &clock_;
  }

  void Open() {
    store_.reset();
    auto opened = HostedTables::Open("/db", options_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = std::move(*opened);
  }

  void Create(const GcPolicy& gc = {}) {
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"f", FamilyType::kBytes, gc}};
    LocalityGroupSchema& group = schema.groups.emplace_back();
    group.name = "plain";
    group.families = {"f"};
    group.compression = Compression::kNone;
    Status status = store_->CreateTable(schema, {});
    ASSERT_TRUE(status.ok()) << status;
  }

  void Write(const RowMutation& mutation) {
    Status status = store_->Apply("t", {&mutation}).front();
    ASSERT_TRUE(status.ok()) << status;
  }

  void WriteRun(int number) {
    Write(RowMutation("a").Set("f", "q", "v", number));
    Write(RowMutation("z").Set("f", "q", "v", number));
    ASSERT_TRUE(store_->Flush("t").ok());
  }

  // True if any SSTable contains `text`.
  bool OnDisk(std::string_view text) {
    for (const std::string& path : memory_.AllFiles()) {
      if (!path.ends_with(".sst")) continue;
      auto content = ReadFile(&memory_, path);
      if (content.ok() && content->find(text) != std::string::npos) return true;
    }
    return false;
  }

  std::string Compactions() {
    std::string text;
    for (const CompactionRecord& record : store_->host()->Compactions()) {
      text +=
          fmt::format("{} {}: {}\n", CompactionKindName(record.kind), record.reason, record.status);
    }
    return text;
  }

  // Waits in real time, because background threads run in it.
  template <typename Condition>
  bool Eventually(Condition condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) Clock::System()->SleepMicros(10'000);
    return condition();
  }

  MemoryFileSystem memory_;
  FaultFileSystem fs_;
  ManualClock clock_;
  StoreOptions options_;
  std::unique_ptr<HostedTables> store_;
};

TEST_F(BackgroundTest, DeletedDataIsGoneAfterTheCycleAndRestartsDoNotPutItOff) {
  Open();
  Create();
  Write(RowMutation("r").Set("f", "q", "the secret", 1));
  ASSERT_TRUE(store_->Flush("t").ok());
  clock_.Set(clock_.NowMicros() + kHour);
  int64_t deleted_us = clock_.NowMicros();
  Write(RowMutation("r").DeleteRow());
  for (int hours : {5, 11, 22}) {  // the delete is only in the log and is replayed each time
    clock_.Set(deleted_us + hours * kHour);
    Open();
    Clock::System()->SleepMicros(50'000);
    EXPECT_TRUE(OnDisk("the secret")) << hours;
  }
  clock_.Set(deleted_us + options_.major_cycle_us);
  EXPECT_TRUE(Eventually([&] { return !OnDisk("the secret"); })) << Compactions();
  EXPECT_NE(Compactions().find("major major: garbage for "), std::string::npos) << Compactions();
}

TEST_F(BackgroundTest, ACleanTableIsNotCompactedAgain) {
  Open();
  Create();
  Write(RowMutation("r").Set("f", "q", "v", 1));
  clock_.Set(clock_.NowMicros() + 30 * kHour);
  ASSERT_TRUE(Eventually([&] { return Compactions().find("major") != std::string::npos; }));
  std::string before = Compactions();
  clock_.Set(clock_.NowMicros() + 1000 * kHour);
  Open();
  Clock::System()->SleepMicros(1'500'000);  // longer than the background threads sleep
  EXPECT_EQ(Compactions(), "") << "before: " << before;
}

TEST_F(BackgroundTest, ExpiredCellsAreGoneAfterTheCycle) {
  Open();
  Create(GcPolicy::MaxAge(48 * kHour));
  Write(RowMutation("r").Set("f", "q", "the secret", clock_.NowMicros()));
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  clock_.Set(clock_.NowMicros() + 71 * kHour);
  Open();
  Clock::System()->SleepMicros(50'000);
  EXPECT_TRUE(OnDisk("the secret"));
  clock_.Set(clock_.NowMicros() + 2 * kHour);
  EXPECT_TRUE(Eventually([&] { return !OnDisk("the secret"); })) << Compactions();
}

TEST_F(BackgroundTest, AFailedCompactionIsSeenAndTriedAgain) {
  options_.background = false;
  Open();
  Create();
  for (int i = 1; i <= 4; ++i) WriteRun(i);
  auto rule = FaultRule::Parse("fail create *.sst* 1");
  ASSERT_TRUE(rule.ok());
  fs_.AddRule(*rule);
  Counter* errors = store_->metrics()->Get("compaction_errors");
  store_->host()->CompactSmall();  // fails, and is not due again until later
  EXPECT_EQ(errors->value(), 1u);
  EXPECT_NE(Compactions().find("4 runs of like size"), std::string::npos) << Compactions();
  EXPECT_EQ(Compactions().find(" bytes: done"), std::string::npos) << Compactions();
  clock_.Set(clock_.NowMicros() + 2 * kSecond);
  store_->host()->CompactSmall();
  EXPECT_NE(Compactions().find(" bytes: done"), std::string::npos) << Compactions();
  EXPECT_EQ(errors->value(), 1u);
  EXPECT_EQ(store_->Tablets("t")->front()->Stats().front().sstables, 1u);
}

TEST_F(BackgroundTest, ClosingEndsABigCompactionAtOnce) {
  options_.clock = Clock::System();
  Open();
  Create();
  for (int i = 0; i < 4000; ++i) {
    Write(RowMutation(fmt::format("r{}", i)).Set("f", "q", std::string(1000, 'x'), 1));
  }
  ASSERT_TRUE(store_->Close().ok());
  // Set only now, so that a single compaction has all rows; while they were written, each had only
  // a few.
  options_.major_cycle_us = 1;
  options_.background_rate = 64 << 10;  // so slow that the compaction would take a minute
  Open();
  ASSERT_TRUE(Eventually([&] {
    std::vector<CompactionRecord> all = store_->host()->Compactions();
    return std::any_of(all.begin(), all.end(), [](const CompactionRecord& record) {
      return record.kind == CompactionKind::kMajor && record.status == "running" &&
             record.bytes_in > 500'000;  // work for eight seconds
    });
  })) << Compactions();
  int64_t start_ns = Clock::System()->MonotonicNanos();
  ASSERT_TRUE(store_->Close().ok());
  EXPECT_LT((Clock::System()->MonotonicNanos() - start_ns) / 1'000'000, 10'000);
  EXPECT_NE(Compactions().find("compaction was cancelled"), std::string::npos) << Compactions();
  auto files = memory_.List("/db/sst");
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files->size(), store_->Tablets("t")->front()->Stats().front().sstables)
      << "what it had written is left";
}

TEST_F(BackgroundTest, WritersOfASlowDiskAreSlowedAndNeverStopped) {
  options_.clock = Clock::System();
  options_.sync_writes = false;
  options_.memtable_budget = 32 << 20;
  options_.memtable_size = 8 << 20;
  fs_.OnSync([] { Clock::System()->SleepMicros(150'000); });
  Open();
  Create();
  auto tablet = store_->Tablets("t")->front();
  int64_t most_bytes = 0;
  for (int i = 0; i < 60'000; ++i) {
    RowMutation mutation(fmt::format("r{}", i * 7919LL % 60'000));
    mutation.Set("f", "q", std::string(1000, 'x'), i);
    Write(mutation);
    most_bytes = std::max(most_bytes, tablet->memtable_bytes());
  }
  // On a machine whose writers are as slow as its disk, no writer has to wait.
  tablet.reset();  // must not outlive the store
  if (most_bytes > static_cast<int64_t>(options_.memtable_budget) * 3 / 2) {
    EXPECT_GT(store_->metrics()->Get("writer_delay_us")->value(), 0u);
  }
  EXPECT_EQ(store_->metrics()->Get("writer_stops")->value(), 0u);
}

// A master that takes this server for dead may sweep the file of a flush. The writer that waits for
// the flush would take kNotFound for a missing table.
TEST_F(BackgroundTest, AWriterWithoutRoomIsNotToldThatAFileIsMissing) {
  options_.clock = Clock::System();
  options_.memtable_budget = 32 << 10;
  fs_.OnCall([](std::string_view operation, const std::string& path, FaultRule::Effect*) {
    const bool is_flush = operation == "rename" && path.find(".sst") != std::string::npos;
    return is_flush ? NotFound("rename: no such file") : OkStatus();
  });
  Open();
  Create();
  Status refused;
  for (int i = 0; i < 10 && refused.ok(); ++i) {
    RowMutation mutation("a");
    mutation.Set("f", "q", std::string(32 << 10, 'x'), i);
    refused = store_->Apply("t", {&mutation}).front();
  }
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable) << refused;
  EXPECT_NE(refused.ToString().find("memtables are full"), std::string::npos) << refused;
  EXPECT_NE(refused.ToString().find("no such file"), std::string::npos) << refused;
}

// The same after the file has got its name, before a state names it: no data are lost.
TEST_F(BackgroundTest, AFileThatIsSweptBeforeItIsNamedIsNoDamage) {
  options_.background = false;
  Open();
  Create();
  Write(RowMutation("a").Set("f", "q", "v", 1));
  fs_.OnCall([this](std::string_view operation, const std::string& path, FaultRule::Effect*) {
    if (operation == "open" && path.ends_with(".sst")) (void)memory_.Remove(path);
    return OkStatus();
  });
  Status flushed = store_->Flush("t");
  EXPECT_EQ(flushed.code(), StatusCode::kUnavailable) << flushed;
  fs_.OnCall({});
  EXPECT_TRUE(store_->Flush("t").ok());
}

TEST_F(BackgroundTest, ATabletPrintsItself) {
  options_.background = false;
  Open();
  Create();
  WriteRun(1);
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  int64_t now_us = clock_.NowMicros();
  WriteRun(2);
  Write(RowMutation("m\n").Set("f", "q", "v", 3));
  std::string text = store_->Tablets("t")->front()->Dump();
  EXPECT_NE(text.find("tablet      1 of table t\n"
                      "rows        '' .. end\n"
                      "sequence    5 visible, 4 is the redo point\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(fmt::format("in memory   since {} us\n", now_us)), std::string::npos) << text;
  EXPECT_NE(text.find("group       plain\n  memtable  active: 1 entries, "), std::string::npos);
  EXPECT_NE(text.find(fmt::format(": 1 files, clean since {} us\n", now_us)), std::string::npos)
      << text;
  EXPECT_NE(text.find(": 1 files, not compacted to the end since "), std::string::npos) << text;
  EXPECT_NE(text.find(" 2 entries, 0 tombstones, 2 rows, 'a' .. 'z'\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace sippar::engine
