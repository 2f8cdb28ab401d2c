// Rows P1 to P6: a power loss or a kill at each named step of writes, flushes and compactions;
// compactions of random runs; compactions and splits at the same time.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <set>

#include "tests/engine/faults/fault_rows.h"

namespace sippar::engine {
namespace {

class CrashSteps : public FaultRows {
 protected:
  struct Moment {
    std::string point;
    std::unique_ptr<MemoryFileSystem> disk;
  };

  // Returns what the disk may hold at every named point that `action` passes.
  std::vector<Moment> Walk(const std::function<void()>& action) {
    std::vector<Moment> moments;
    Random random(5);
    CrashPoints::Arm([&](const char* name) {
      for (int i = 0; i < 4; ++i) moments.push_back({name, memory_.CrashClone(&random)});
    });
    action();
    CrashPoints::Arm(nullptr);
    return moments;
  }

  static std::set<std::string> Points(const std::vector<Moment>& moments) {
    std::set<std::string> points;
    for (const Moment& moment : moments) points.insert(moment.point);
    return points;
  }

  // Opens what was left, reads it, and continues with it: writes, compacts, opens again.
  void CheckSurvivor(const Moment& moment, const std::function<void(const RowValues&)>& check) {
    SCOPED_TRACE(moment.point);
    auto store = OpenOn(moment.disk.get());
    ASSERT_TRUE(store.ok()) << store.status();
    RowValues rows = Rows(store->get());
    check(rows);
    RowMutation more = RowOf("zz", "more");
    ASSERT_TRUE((*store)->Apply("t", {&more}).front().ok());
    ASSERT_TRUE((*store)->CompactMajor("t", "").ok());
    rows["zz"] = "more";
    EXPECT_EQ(Rows(store->get()), rows);
    store->reset();
    store = OpenOn(moment.disk.get());
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(Rows(store->get()), rows);
    EXPECT_EQ(FilesOf(*moment.disk, "*.sst").size(), NamedFiles(store->get())) << "orphans stay";
  }

  void ExpectUnchanged(const std::vector<Moment>& moments, int rows) {
    for (const Moment& moment : moments) {
      CheckSurvivor(moment, [&](const RowValues& found) { EXPECT_EQ(found, Expected(rows)); });
    }
  }
};

TEST_F(CrashSteps, P1_AWriteIsThereFromItsSyncOnAndWholeBefore) {
  OpenAndCreate();
  PutRows(0, 5);
  std::vector<Moment> moments = Walk([&] { PutRows(5, 6); });
  std::set<std::string> points = Points(moments);
  for (const char* point : {"log.before_append", "log.after_append", "log.after_sync",
                            "log.before_apply", "log.before_answer"}) {
    EXPECT_TRUE(points.contains(point)) << point;
  }
  for (const Moment& moment : moments) {
    CheckSurvivor(moment, [&](const RowValues& found) {
      bool durable = moment.point != "log.before_append" && moment.point != "log.after_append";
      EXPECT_TRUE(found == Expected(6) || (!durable && found == Expected(5)));
    });
  }
}

TEST_F(CrashSteps, P2_OfABatchOverTabletsEachRowIsWholeOrAbsent) {
  Open();
  Create({"r003", "r006"});
  std::vector<RowMutation> rows;
  for (int i = 0; i < 9; ++i) rows.push_back(RowOf(Row(i), Value(i)));
  std::vector<const RowMutation*> batch;
  for (const RowMutation& row : rows) batch.push_back(&row);
  std::set<size_t> sizes;
  std::vector<Moment> moments = Walk([&] {
    for (const Status& status : store_->Apply("t", batch)) EXPECT_TRUE(status.ok()) << status;
  });
  for (const Moment& moment : moments) {
    CheckSurvivor(moment, [&](const RowValues& found) {  // Rows() also checks that no row is torn
      for (const auto& [row, value] : found) EXPECT_EQ(value, Expected(9)[row]);
      sizes.insert(found.size());
    });
  }
  EXPECT_GE(sizes.size(), 3u) << "the tablets' groups are written one after the other";
  Fault("fail sync *.log 2");
  std::vector<Status> statuses = store_->Apply("t", batch);
  int failed = 0;
  for (size_t tablet = 0; tablet < 9; tablet += 3) {
    EXPECT_EQ(statuses[tablet], statuses[tablet + 1]);
    EXPECT_EQ(statuses[tablet], statuses[tablet + 2]);
    failed += statuses[tablet].ok() ? 0 : 1;
  }
  EXPECT_EQ(failed, 1) << "each row has its own answer";
}

TEST_F(CrashSteps, P3_AMinorCompactionInterruptedAnywhereLosesAndRepeatsNothing) {
  OpenAndCreate();
  PutRows(0, 20);
  ASSERT_TRUE(store_->Flush("t").ok());
  PutRows(20, 30);
  std::vector<Moment> moments = Walk([&] { ASSERT_TRUE(store_->Flush("t").ok()); });
  std::set<std::string> points = Points(moments);
  for (const char* point : {"sstable.written", "sstable.synced", "flush.before_state",
                            "flush.after_state", "compaction.after_outputs"}) {
    EXPECT_TRUE(points.contains(point)) << point;
  }
  ExpectUnchanged(moments, 30);
}

// An epoch is durable before a file name contains it, even if that life writes no log.
TEST_F(CrashSteps, P3_ALifeThatOnlyFlushesSharesNoFileNameWithTheNext) {
  OpenAndCreate();
  PutRows(0, 5);
  for (int life = 0; life < 3; ++life) {
    Open();
    ASSERT_TRUE(store_->Flush("t").ok());
    Open();
    PutRows(5 + life, 6 + life);
  }
  Status flushed = store_->Flush("t");
  EXPECT_TRUE(flushed.ok()) << flushed;
  EXPECT_EQ(Rows(), Expected(8));
}

TEST_F(CrashSteps, P4_AMergingCompactionIsInstalledWholeAndReadersKeepTheirFiles) {
  OpenAndCreate();
  for (int run = 0; run < 5; ++run) {  // the runs overlap, so they cannot simply be joined
    PutRows(run, run + 21);
    ASSERT_TRUE(store_->Flush("t").ok());
  }
  auto tablet = store_->Tablets("t")->front();
  auto reader = *tablet->Read({});
  std::vector<std::string> before = Files("*.sst");
  std::vector<Moment> moments = Walk([&] {
    for (bool worked = true; worked;) {
      auto compacted = tablet->CompactOnce();
      ASSERT_TRUE(compacted.ok()) << compacted.status();
      worked = *compacted;
    }
  });
  std::set<std::string> points = Points(moments);
  EXPECT_TRUE(points.contains("compaction.before_state"));
  EXPECT_TRUE(points.contains("compaction.after_state"));
  ExpectUnchanged(moments, 25);
  for (const std::string& file : before) EXPECT_TRUE(*memory_.Exists(file)) << file;
  size_t cells = 0;
  for (; reader->Valid(); reader->Next()) ++cells;
  EXPECT_TRUE(reader->status().ok()) << reader->status();
  EXPECT_EQ(cells, 50u);
  EXPECT_GT(Files("*.sst").size(), NamedFiles(store_.get()));
  reader.reset();
  EXPECT_EQ(Files("*.sst").size(), NamedFiles(store_.get()))
      << "the last reader lets the old files go";
}

// Any adjacent runs may be merged, in any order: deleted cells stay deleted.
TEST_F(CrashSteps, P5_WhateverRunsAreCompactedNothingDeletedComesBack) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    MemoryFileSystem disk;
    store_ = std::move(*OpenOn(&disk));
    Create();
    auto tablet = store_->Tablets("t")->front();
    RowValues model;
    for (int step = 0; step < 60; ++step) {
      std::string row = Row(static_cast<int>(random.Uniform(6)));
      if (random.OneIn(3)) {
        RowMutation gone(row);
        if (random.OneIn(2)) {
          gone.DeleteRow();
        } else {
          gone.DeleteFamily("a").DeleteColumn("b", "q", TimeRange());
        }
        ASSERT_TRUE(store_->Apply("t", {&gone}).front().ok());
        model.erase(row);
      } else {
        ASSERT_TRUE(Put(row, Value(step)).ok());
        model[row] = Value(step);
      }
      if (random.OneIn(3)) ASSERT_TRUE(store_->Flush("t").ok());
      std::vector<CompactionCandidate> candidates;
      tablet->compactor().AddCandidates(&candidates);
      for (const CompactionCandidate& candidate : candidates) {
        if (candidate.runs.size() < 2 || !random.OneIn(4)) continue;
        CompactionChoice choice;
        choice.first = random.Uniform(candidate.runs.size() - 1);
        choice.limit = choice.first + 2 + random.Uniform(candidate.runs.size() - choice.first - 1);
        choice.is_debt = true;
        auto compacted = tablet->compactor().Compact(candidate, choice, nullptr);
        ASSERT_TRUE(compacted.ok() && *compacted) << compacted.status();
      }
      ASSERT_EQ(Rows(), model) << "step " << step;
    }
    tablet.reset();
    store_.reset();
    store_ = std::move(*OpenOn(&disk));
    ASSERT_EQ(Rows(), model);
    store_.reset();
  }
}

// A split waits for a running compaction: its output belongs to the parent, and the children share
// it. No compaction installs its output in a tablet that was already split.
TEST_F(CrashSteps, P6_ASplitDuringACompactionSeesItsOutputOnceAndWhole) {
  OpenAndCreate();
  PutRows(0, 20);
  ASSERT_TRUE(store_->Flush("t").ok());
  PutRows(10, 30);
  std::atomic<bool> compacting{false};
  std::atomic<bool> early{false};
  Thread splitter;
  CrashPoints::Arm([&](const char* name) {
    std::string_view point = name;
    if (point == "reshape.after_flush" && compacting) early = true;
    if (point != "compaction.before_state") return;
    compacting = true;
    splitter = Thread("split", [&] {
      Status status = store_->Split("t", Row(15));
      EXPECT_TRUE(status.ok()) << status;
    });
    Clock::System()->SleepMicros(50'000);
    compacting = false;
  });
  Status status = store_->CompactMajor("t", "a");
  EXPECT_TRUE(status.ok()) << status;
  splitter.Join();
  CrashPoints::Arm(nullptr);
  EXPECT_FALSE(early);
  EXPECT_EQ(Rows(), Expected(30));
  EXPECT_EQ(store_->Tablets("t")->size(), 2u);
  for (const GroupStats& group : Stats(store_.get())) {
    if (group.group == "a") EXPECT_EQ(group.sstables, 1u) << "the compaction's output";
  }
  Open();
  EXPECT_EQ(Rows(), Expected(30));
}

}  // namespace
}  // namespace sippar::engine
