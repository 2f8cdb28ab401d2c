// Splits and merges: answers do not change, no data is copied, a power loss at any of their crash
// points leaves the tablets before or after the change, and files are deleted when no tablet names
// them.
// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/reshape.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <set>

#include "engine/base/crash_point.h"
#include "engine/fs/memory_file_system.h"
#include "tests/engine/store/hosted_history.h"

namespace sippar::engine {
namespace {

class ReshapeTest : public testing::Test {
 protected:
  ReshapeTest() : clock_(1'000'000) { Open(); }
  ~ReshapeTest() override { CrashPoints::Arm(nullptr); }

  void Open() {
    store_.reset();
    StoreOptions options = LadderOptions(&fs_, &clock_);
    auto opened = HostedTables::Open("/db", options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = std::move(*opened);
  }
  void Create(const std::vector<std::string>& splits = {}) {
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"f", FamilyType::kBytes, {}}, {"g", FamilyType::kBytes, {}}};
    LocalityGroupSchema& group = schema.groups.emplace_back();
    group.name = "second";
    group.families = {"g"};
    ASSERT_TRUE(store_->CreateTable(schema, splits).ok());
  }
  void Write(int first, int limit, const std::string& value = "v") {
    for (int i = first; i < limit; ++i) {
      RowMutation mutation(Row(i));
      mutation.Set("f", "q", value + std::to_string(i), 5).Set("g", "", std::string(50, 'x'), 7);
      ASSERT_TRUE(store_->Apply("t", {&mutation}).front().ok());
    }
  }
  static std::string Row(int i) { return fmt::format("row{:05}", i); }
  std::string Read(HostedTables* store) {
    auto cells = ReadAll(store, ReadSpec());
    return cells.ok() ? PrintCells(*cells) : cells.status().ToString();
  }
  std::string Read() { return Read(store_.get()); }
  std::set<std::string> Sstables() {
    std::set<std::string> found;
    for (const std::string& path : fs_.AllFiles()) {
      if (path.ends_with(".sst")) found.insert(path);
    }
    return found;
  }
  static std::vector<std::shared_ptr<Tablet>> Tablets(HostedTables* store) {
    return store->Tablets("t").value();
  }
  size_t TabletCount() { return store_->Tablets("t")->size(); }
  uint64_t Sum(uint64_t GroupStats::*field) {
    uint64_t sum = 0;
    for (const auto& tablet : Tablets(store_.get())) {
      for (const GroupStats& stats : tablet->Stats()) sum += stats.*field;
    }
    return sum;
  }

  MemoryFileSystem fs_;
  ManualClock clock_;
  std::unique_ptr<HostedTables> store_;
};

TEST_F(ReshapeTest, ASplitSharesTheFilesAndChangesNoAnswer) {
  Create();
  Write(0, 200);
  ASSERT_TRUE(store_->Flush("t").ok());
  Write(100, 150, "newer");  // still in memory when the tablet is split
  std::string before = Read();
  std::set<std::string> files = Sstables();
  ASSERT_TRUE(store_->Split("t", Row(120)).ok());
  EXPECT_EQ(TabletCount(), 2u);
  EXPECT_EQ(Read(), before);
  for (const std::string& file : files) EXPECT_TRUE(Sstables().contains(file)) << file;
  // Compacting the left half must not take rows from the right half or duplicate rows.
  ASSERT_TRUE((*store_->Tablets("t"))[0]->CompactMajor("").ok());
  EXPECT_EQ(Read(), before);
  for (const std::string& file : files) EXPECT_TRUE(Sstables().contains(file)) << file;
  ReadSpec reverse;
  reverse.reverse = true;
  auto backwards = ReadAll(store_.get(), reverse);
  ASSERT_TRUE(backwards.ok());
  EXPECT_EQ(backwards->size(), 400u);
  Open();
  EXPECT_EQ(Read(), before);
  // Once both halves have their own files, the shared ones are deleted.
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  EXPECT_EQ(Read(), before);
  for (const std::string& file : files) EXPECT_FALSE(Sstables().contains(file)) << file;
}

TEST_F(ReshapeTest, SequencesGoOnAndDeletesHideWhatTheParentWrote) {
  Create();
  Write(0, 10);
  ASSERT_TRUE(store_->Split("t", Row(5)).ok());
  RowMutation gone(Row(7));
  gone.DeleteRow();
  ASSERT_TRUE(store_->Apply("t", {&gone}).front().ok());
  Write(3, 4, "again");
  std::string before = Read();
  EXPECT_EQ(before.find(Row(7)), std::string::npos);
  EXPECT_NE(before.find("again3"), std::string::npos);
  Open();  // replays the records of the children
  EXPECT_EQ(Read(), before);
  ASSERT_TRUE(store_->Merge("t", RowRange::All()).ok());
  EXPECT_EQ(TabletCount(), 1u);
  EXPECT_EQ(Read(), before);
  Write(7, 8, "back");
  EXPECT_NE(Read().find("back7"), std::string::npos);
  before = Read();
  Open();
  EXPECT_EQ(Read(), before);
}

// The left half keeps the parent's file, which still has rows that the right half has deleted
// since.
TEST_F(ReshapeTest, AMergedTabletTrustsASharedFileForItsOwnersRowsOnly) {
  Create();
  Write(0, 20);
  ASSERT_TRUE(store_->Split("t", Row(10)).ok());
  for (int i = 10; i < 20; ++i) {
    RowMutation gone(Row(i));
    gone.DeleteRow();
    ASSERT_TRUE(store_->Apply("t", {&gone}).front().ok());
  }
  ASSERT_TRUE((*store_->Tablets("t"))[1]->CompactMajor("").ok());
  std::string before = Read();
  EXPECT_EQ(before.find(Row(10)), std::string::npos);
  ASSERT_TRUE(store_->Merge("t", RowRange::All()).ok());
  EXPECT_EQ(Read(), before);
  Open();
  EXPECT_EQ(Read(), before);
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  EXPECT_EQ(Read(), before);
}

TEST_F(ReshapeTest, AFamilyDroppedBeforeTheMergeStaysDead) {
  Create({Row(10)});
  Write(0, 15);  // makes the tablets' sequence numbers differ
  TableSchema schema = store_->GetTable("t")->schema;
  TableSchema without = schema;
  std::erase_if(without.families, [](const FamilySchema& family) { return family.name == "g"; });
  for (auto& group : without.groups) std::erase(group.families, "g");
  ASSERT_TRUE(store_->AlterTable(without, 1).ok());
  ASSERT_TRUE(store_->AlterTable(schema, 2).ok());
  RowMutation young(Row(12));
  young.Set("g", "young", "1", 3);
  ASSERT_TRUE(store_->Apply("t", {&young}).front().ok());
  std::string before = Read();
  EXPECT_EQ(before.find("xxxx"), std::string::npos);
  EXPECT_NE(before.find("young"), std::string::npos);
  ASSERT_TRUE(store_->Merge("t", RowRange::All()).ok());
  EXPECT_EQ(TabletCount(), 1u);
  EXPECT_EQ(Read(), before);
  Open();
  EXPECT_EQ(Read(), before);
}

TEST_F(ReshapeTest, AReaderOfTheParentKeepsItsSnapshotAndItsFiles) {
  Create();
  Write(0, 50);
  ASSERT_TRUE(store_->Flush("t").ok());
  auto parent = store_->Tablets("t")->front();
  auto stream = parent->Read(ReadSpec());
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE(store_->Split("t", Row(25)).ok());
  RowMutation gone(Row(49));
  gone.DeleteRow();
  ASSERT_TRUE(store_->Apply("t", {&gone}).front().ok());
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  size_t cells = 0;
  for (; (*stream)->Valid(); (*stream)->Next()) ++cells;
  EXPECT_TRUE((*stream)->status().ok()) << (*stream)->status();
  EXPECT_EQ(cells, 100u);
  size_t with_reader = Sstables().size();
  stream->reset();
  parent.reset();
  EXPECT_LT(Sstables().size(), with_reader);
}

TEST_F(ReshapeTest, DroppingTheTableRemovesSharedFiles) {
  Create();
  Write(0, 50);
  ASSERT_TRUE(store_->Split("t", Row(25)).ok());
  ASSERT_TRUE(store_->Split("t", Row(35)).ok());
  ASSERT_TRUE(store_->DropTable("t").ok());
  EXPECT_TRUE(Sstables().empty());
  Open();
  EXPECT_EQ(store_->ListTables().size(), 0u);
}

TEST_F(ReshapeTest, APowerLossAtAnyPointLeavesTheTabletsBeforeOrAfter) {
  Create();
  Write(0, 60);
  ASSERT_TRUE(store_->Flush("t").ok());
  Write(20, 40, "newer");
  std::string before = Read();
  std::vector<std::string> passed;
  std::vector<std::unique_ptr<MemoryFileSystem>> disks;
  CrashPoints::Arm([&](const char* name) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      Random random(seed);
      disks.push_back(fs_.CrashClone(&random));
      passed.emplace_back(name);
    }
  });
  ASSERT_TRUE(store_->Split("t", Row(30)).ok());
  ASSERT_TRUE(store_->Split("t", Row(45)).ok());
  ASSERT_TRUE(store_->Merge("t", {Row(0), Row(40)}).ok());
  CrashPoints::Arm(nullptr);
  for (const char* point : {"reshape.after_flush", "reshape.after_save", "reshape.after_removal"}) {
    EXPECT_NE(std::find(passed.begin(), passed.end(), point), passed.end()) << point;
  }
  for (size_t i = 0; i < disks.size(); ++i) {
    SCOPED_TRACE(passed[i]);
    auto store = HostedTables::Open("/db", LadderOptions(disks[i].get(), &clock_));
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(Read(store->get()), before);
    RowMutation mutation("zzz");
    mutation.Set("f", "q", "after", 5);
    ASSERT_TRUE((*store)->Apply("t", {&mutation}).front().ok());
    ASSERT_TRUE((*store)->CompactMajor("t", "").ok());
    std::string all = Read(store->get());
    EXPECT_NE(all.find("after"), std::string::npos);
    store->reset();
    store = HostedTables::Open("/db", LadderOptions(disks[i].get(), &clock_));
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(Read(store->get()), all);
  }
}

TEST_F(ReshapeTest, WritersAndReadersSeeNothingOfSplitsAndMerges) {
  Create();
  constexpr int kWriters = 3;
  constexpr int kRows = 40;
  std::atomic<bool> stop{false};
  std::atomic<int> added[kRows] = {};
  std::vector<Thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back("writer", [&, writer] {
      Random random(static_cast<uint64_t>(writer) + 1);
      while (!stop) {
        int i = static_cast<int>(random.Uniform(kRows));
        RowMutation mutation(Row(i));
        mutation.Increment("f", "n", 1).Increment("g", "n", 1);
        Status status = store_->Apply("t", {&mutation}).front();
        EXPECT_TRUE(status.ok()) << status;
        if (!status.ok()) return;
        ++added[i];
      }
    });
  }
  threads.emplace_back("reader", [&] {
    while (!stop) {
      auto cells = ReadAll(store_.get(), ReadSpec());
      EXPECT_TRUE(cells.ok()) << cells.status();
    }
  });
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    if (random.Uniform(3) > 0) {
      ASSERT_TRUE(store_->Split("t", Row(static_cast<int>(random.Uniform(kRows - 1)) + 1)).ok());
    } else {
      std::string start = Row(static_cast<int>(random.Uniform(kRows)));
      ASSERT_TRUE(store_->Merge("t", {start, ""}).ok());
    }
    if (random.Uniform(5) == 0) ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  }
  stop = true;
  threads.clear();
  auto check = [&] {
    ReadSpec newest;
    newest.versions_per_column = 1;
    std::map<std::string, std::string> values;
    auto cells = ReadAll(store_.get(), newest);
    ASSERT_TRUE(cells.ok()) << cells.status();
    for (const Cell& cell : *cells) values[cell.row + cell.family] = cell.value;
    for (int i = 0; i < kRows; ++i) {
      if (added[i] == 0) continue;
      EXPECT_EQ(values[Row(i) + "f"], EncodeInt64(added[i])) << Row(i);
      EXPECT_EQ(values[Row(i) + "g"], EncodeInt64(added[i])) << Row(i);
    }
  };
  check();
  Open();
  check();
}

TEST_F(ReshapeTest, HistoriesWithRandomSplitsAndMergesAnswerAsTheOracle) {
  for (uint64_t seed = 1; seed <= 60 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryFileSystem fs;
    RandomHistory history(seed);
    TableSchema schema = history.Schema();
    ReferenceTable oracle(schema);
    auto store = HostedTables::Open("/db", LadderOptions(&fs, &clock_));
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE((*store)->CreateTable(schema, history.SplitKeys()).ok());
    for (int step = 0; step < 120; ++step) {
      clock_.Set(clock_.NowMicros() + static_cast<int64_t>(history.random()->Uniform(3)));
      RowMutation mutation = history.Mutation(schema, clock_.NowMicros());
      ASSERT_TRUE((*store)->Apply("t", {&mutation}).front().ok());
      oracle.Apply(mutation, clock_.NowMicros());
      switch (history.random()->Uniform(16)) {
        case 0:
          ASSERT_TRUE((*store)->Flush("t").ok());
          break;
        case 1:
        case 2:
        case 3:
          ASSERT_TRUE((*store)->Split("t", mutation.row).ok());
          break;
        case 4: {
          Status merged = (*store)->Merge("t", {mutation.row, ""});
          ASSERT_TRUE(merged.ok()) << merged;
          break;
        }
        case 5: {
          auto tablets = *(*store)->Tablets("t");
          size_t i = history.random()->Uniform(tablets.size());
          ASSERT_TRUE(tablets[i]->CompactMajor("").ok());
          break;
        }
        case 6:
          for (const auto& tablet : Tablets(store->get())) {
            ASSERT_TRUE(tablet->CompactOnce().ok());
          }
          break;
        case 7:
          store->reset();
          store = HostedTables::Open("/db", LadderOptions(&fs, &clock_));
          ASSERT_TRUE(store.ok()) << store.status();
          break;
        default:
          break;
      }
      ReadSpec read = history.Read(schema, clock_.NowMicros());
      auto cells = ReadAll(store->get(), read);
      ASSERT_TRUE(cells.ok()) << cells.status();
      ASSERT_EQ(PrintCells(*cells), PrintCells(oracle.Read(read, clock_.NowMicros())))
          << "step " << step << " rows " << read.rows.Print();
    }
  }
}

TEST_F(ReshapeTest, CountsAreExactAfterAMajorCompaction) {
  Create();
  Write(0, 100);
  Write(0, 100, "second version that GC keeps");
  ASSERT_TRUE(store_->Split("t", Row(30)).ok());
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  auto tablets = *store_->Tablets("t");
  ASSERT_EQ(tablets.size(), 2u);
  uint64_t on_disk = 0;
  for (const std::string& path : Sstables()) on_disk += *fs_.FileSize(path);
  EXPECT_EQ(Sum(&GroupStats::stored_bytes), on_disk);
  for (size_t i = 0; i < 2; ++i) {
    uint64_t rows = i == 0 ? 30 : 70;
    for (const GroupStats& stats : tablets[i]->Stats()) {
      EXPECT_EQ(stats.rows, rows);
      ASSERT_EQ(stats.families.size(), 1u);
      EXPECT_EQ(stats.families.begin()->second.cells, stats.entries);
      EXPECT_EQ(stats.families.begin()->second.raw_bytes, stats.raw_bytes);
    }
  }
}

TEST_F(ReshapeTest, AThousandIdleTabletsAreSmallAndOpenQuickly) {
  std::vector<std::string> splits;
  for (int i = 1; i < 1000; ++i) splits.push_back(Row(i));
  Create(splits);
  Write(0, 1000);
  ASSERT_TRUE(store_->Flush("t").ok());
  store_.reset();
  size_t before = mallinfo2().uordblks;
  int64_t start = Clock::System()->MonotonicNanos();
  Open();
  int64_t micros = (Clock::System()->MonotonicNanos() - start) / 1000;
  size_t bytes = mallinfo2().uordblks - before;
  RecordProperty("bytes_per_tablet", static_cast<int>(bytes / 1000));
  RecordProperty("open_micros", static_cast<int>(micros));
  EXPECT_EQ(TabletCount(), 1000u);
  EXPECT_LT(bytes / 1000, 20u << 10);
  ReadSpec one;
  one.rows = RowSet(RowRange::Single(Row(77)));
  auto cells = ReadAll(store_.get(), one);
  ASSERT_TRUE(cells.ok()) << cells.status();
  EXPECT_EQ(cells->size(), 2u);
}

TEST(Reshape, TheSplitSizeIsInTheUnitThatWasWritten) {
  auto size_of = [](const char* text) {
    TableSchema schema;
    schema.options["SPLIT_SIZE"] = text;
    return SplitSizeOf(schema, 7);
  };
  EXPECT_EQ(SplitSizeOf(TableSchema(), 7), 7u);
  EXPECT_EQ(size_of("1000"), 1000u);
  EXPECT_EQ(size_of("1000B"), 1000u);
  EXPECT_EQ(size_of("3KiB"), 3u << 10);
  EXPECT_EQ(size_of("200MiB"), 200u << 20);
  EXPECT_EQ(size_of("2TiB"), 2ull << 40);
}

TEST(Reshape, DecisionsSayWhy) {
  EXPECT_EQ(DecideSplit({201, 0, 0}, 200).reason, "201 bytes stored, above split size 200");
  EXPECT_FALSE(DecideSplit({200, 1000, 0}, 200).wanted);
  int64_t day_us = 24ll * 3600 * 1'000'000;
  EXPECT_TRUE(DecideMerge({10, 5, day_us}, {30, 5, day_us}, 200).wanted);
  EXPECT_FALSE(DecideMerge({10, 5, day_us}, {30, 6, day_us}, 200).wanted);
  EXPECT_FALSE(DecideMerge({0, 0, day_us}, {0, 0, day_us - 1}, 200).wanted);
}

}  // namespace
}  // namespace sippar::engine
