// Tables of one host. Every read is repeated four times: from the memtable, after a flush, after a
// major compaction and after reopening.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hosted_tables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sippar::engine {
namespace {

class StoreTest : public testing::Test {
 protected:
  StoreTest() : fs_(NewPosixFileSystem()), clock_(1'000'000) {
    static int counter = 0;
    directory_ = testing::TempDir() + "store_test_" + std::to_string(::getpid()) + "_" +
                 std::to_string(counter++);
    Open();
  }
  ~StoreTest() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Open() {
    store_.reset();
    StoreOptions options;
    options.fs = fs_.get();
    options.clock = &clock_;
    options.background = false;
    auto opened = HostedTables::Open(directory_, options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = std::move(*opened);
  }

  void Create(std::vector<FamilySchema> families, const std::vector<std::string>& splits = {}) {
    TableSchema schema;
    schema.name = "t";
    schema.families = std::move(families);
    if (schema.families.size() > 1) {
      LocalityGroupSchema& group = schema.groups.emplace_back();
      group.name = "second";
      group.families = {schema.families[1].name};
    }
    Status status = store_->CreateTable(schema, splits);
    ASSERT_TRUE(status.ok()) << status;
  }

  void Write(const RowMutation& mutation) {
    Status status = store_->Apply("t", {&mutation}).front();
    ASSERT_TRUE(status.ok()) << status;
  }

  size_t Segments() {
    std::vector<std::string> names = *fs_->List(directory_ + "/wal");
    std::erase_if(names, [](const std::string& name) { return !name.ends_with(".log"); });
    return names.size();
  }

  // Prints "row f:q@time=value ..." for all cells of the read.
  std::string Read(const ReadSpec& spec = {}) {
    std::string text;
    auto tablets = store_->Tablets("t");
    EXPECT_TRUE(tablets.ok()) << tablets.status();
    if (spec.reverse) std::reverse(tablets->begin(), tablets->end());
    for (const auto& tablet : *tablets) {
      auto cells = tablet->Read(spec);
      EXPECT_TRUE(cells.ok()) << cells.status();
      for (; (*cells)->Valid(); (*cells)->Next()) {
        const CellView& cell = (*cells)->cell();
        text += fmt::format("{}{} {}:{}@{}={}", text.empty() ? "" : " | ", cell.row, cell.family,
                            cell.qualifier, cell.timestamp_us, cell.value);
      }
      EXPECT_TRUE((*cells)->status().ok()) << (*cells)->status();
    }
    return text;
  }

  // Checks that the answer is the same wherever the cells are stored.
  void Expect(const std::string& answer, const ReadSpec& spec = {}) {
    EXPECT_EQ(Read(spec), answer) << "from the memtable";
    ASSERT_TRUE(store_->Flush("t").ok());
    EXPECT_EQ(Read(spec), answer) << "after a flush";
    ASSERT_TRUE(store_->CompactMajor("t", "").ok());
    EXPECT_EQ(Read(spec), answer) << "after a major compaction";
    Open();
    EXPECT_EQ(Read(spec), answer) << "after reopening";
  }

  std::unique_ptr<FileSystem> fs_;
  ManualClock clock_;
  std::string directory_;
  std::unique_ptr<HostedTables> store_;
};

TEST_F(StoreTest, CellsComeBackInStorageOrder) {
  Create({{"a", FamilyType::kBytes, {}}, {"b", FamilyType::kBytes, {}}}, {"m"});
  Write(RowMutation("x").Set("b", "q", "1", 5).Set("a", "z", "2", 6).Set("a", "", "3", 7));
  Write(RowMutation("c").Set("b", "q", "4", 5).Set("b", "q", "5", 9));
  Expect("c b:q@9=5 | c b:q@5=4 | x a:@7=3 | x a:z@6=2 | x b:q@5=1");
  ReadSpec reverse;
  reverse.reverse = true;
  reverse.versions_per_column = 1;
  Expect("x a:@7=3 | x a:z@6=2 | x b:q@5=1 | c b:q@9=5", reverse);
}

TEST_F(StoreTest, DeletesHideOnlyWhatCameBeforeThem) {
  Create({{"a", FamilyType::kBytes, {}}, {"b", FamilyType::kBytes, {}}});
  Write(RowMutation("r").Set("a", "q", "old", 100).Set("b", "q", "old", 100));
  Write(RowMutation("r").DeleteRow().Set("a", "q", "new", 5));
  Write(RowMutation("s").Set("a", "x", "1", 1).Set("a", "y", "2", 2));
  Write(RowMutation("s").DeleteColumn("a", "x"));
  Write(RowMutation("s").Set("a", "x", "again", 1));
  Write(RowMutation("u").Set("a", "x", "1", 1).Set("b", "x", "1", 1));
  Write(RowMutation("u").DeleteFamily("b"));
  Write(RowMutation("v").Set("a", "x", "1", 1).Set("a", "x", "2", 2).Set("a", "x", "3", 3));
  Write(RowMutation("v").DeleteColumn("a", "x", {2, 3}));
  Expect("r a:q@5=new | s a:x@1=again | s a:y@2=2 | u a:x@1=1 | v a:x@3=3 | v a:x@1=1");
}

TEST_F(StoreTest, VersionsCountAsWritten) {
  Create({{"a", FamilyType::kBytes, GcPolicy::MaxVersions(1)}});
  Write(RowMutation("r").Set("a", "q", "nine", 9));
  Write(RowMutation("r").Set("a", "q", "five", 5));
  Expect("r a:q@9=nine");
  Write(RowMutation("r").DeleteColumn("a", "q", {9, 10}));
  Expect("");
  Write(RowMutation("r").Set("a", "q", "three", 3));
  Expect("r a:q@3=three");
}

TEST_F(StoreTest, AgeRuleHidesAsTimePasses) {
  Create({{"a", FamilyType::kBytes, GcPolicy::MaxAge(1'000'000)}});
  Write(RowMutation("r").Set("a", "q", "young", 900'000).Set("a", "q", "older", 100'000));
  Expect("r a:q@900000=young | r a:q@100000=older");
  clock_.Set(1'500'000);
  Expect("r a:q@900000=young");
  clock_.Set(2'500'000);
  Expect("");
}

TEST_F(StoreTest, CountersAndAppendsBuildOnTheNewestValue) {
  Create({{"n", FamilyType::kCounter, GcPolicy::MaxVersions(1)}, {"s", FamilyType::kBytes, {}}});
  for (int i = 0; i < 5; ++i) {
    Write(RowMutation("r").Increment("n", "hits", 2, i + 1).Append("s", "log", "x", i + 1));
    if (i == 2) ASSERT_TRUE(store_->Flush("t").ok());
  }
  ReadSpec newest;
  newest.versions_per_column = 1;
  Expect("r n:hits@5=" + EncodeInt64(10) + " | r s:log@5=xxxxx", newest);
}

TEST_F(StoreTest, ServerTimesNeverRepeatEvenWhenTheClockStepsBack) {
  Create({{"a", FamilyType::kBytes, {}}});
  Write(RowMutation("r").Set("a", "q", "1"));
  clock_.Set(5);
  Write(RowMutation("r").Set("a", "q", "2"));
  Open();
  Write(RowMutation("r").Set("a", "q", "3"));
  Expect("r a:q@1000002=3 | r a:q@1000001=2 | r a:q@1000000=1");
}

TEST_F(StoreTest, ADroppedFamilyStaysDeadWhenMadeAgain) {
  Create({{"a", FamilyType::kBytes, {}}, {"b", FamilyType::kBytes, {}}});
  Write(RowMutation("r").Set("a", "q", "1", 1).Set("b", "q", "old", 1));
  BookTable table = *store_->GetTable("t");
  TableSchema without = table.schema;
  std::erase_if(without.families, [](const FamilySchema& family) { return family.name == "b"; });
  for (LocalityGroupSchema& group : without.groups) std::erase(group.families, "b");
  ASSERT_TRUE(store_->AlterTable(without, table.schema_version).ok());
  EXPECT_EQ(Read(), "r a:q@1=1");
  EXPECT_EQ(store_->AlterTable(without, table.schema_version).code(), StatusCode::kAborted);
  ASSERT_TRUE(store_->AlterTable(table.schema, table.schema_version + 1).ok());
  EXPECT_EQ(Read(), "r a:q@1=1");
  Write(RowMutation("r").Set("b", "q", "new", 1));
  Expect("r a:q@1=1 | r b:q@1=new");
}

TEST_F(StoreTest, LimitsPerRowAndFamilyComeAfterVersions) {
  Create({{"a", FamilyType::kBytes, {}}, {"b", FamilyType::kBytes, {}}});
  Write(RowMutation("r").Set("a", "1", "", 1).Set("a", "2", "", 2).Set("a", "2", "", 1));
  Write(RowMutation("r").Set("b", "1", "", 1).Set("b", "2", "", 1));
  ReadSpec spec;
  spec.versions_per_column = 1;
  spec.cells_per_family = 1;
  spec.cells_per_family_offset = 1;
  Expect("r a:2@2= | r b:2@1=", spec);
  spec = {};
  spec.cells_per_row = 2;
  spec.cells_per_row_offset = 1;
  Expect("r a:2@2= | r a:2@1=", spec);
  spec = {};
  spec.keys_only = true;
  Expect("r a:1@1=", spec);
}

TEST_F(StoreTest, UnknownTablesFamiliesAndRowsAreRefused) {
  Create({{"a", FamilyType::kBytes, {}}});
  RowMutation bad("r");
  bad.Set("zzz", "q", "v", 1);
  EXPECT_EQ(store_->Apply("t", {&bad}).front().code(), StatusCode::kNotFound);
  RowMutation good("r");
  good.Set("a", "q", "v", 1);
  EXPECT_EQ(store_->Apply("nope", {&good}).front().code(), StatusCode::kNotFound);
  std::vector<Status> both = store_->Apply("t", {&bad, &good});
  EXPECT_FALSE(both[0].ok());
  EXPECT_TRUE(both[1].ok());
  Expect("r a:q@1=v");
}

TEST_F(StoreTest, DroppedTablesLeaveNoFiles) {
  Create({{"a", FamilyType::kBytes, {}}});
  Write(RowMutation("r").Set("a", "q", "v", 1));
  ASSERT_TRUE(store_->Flush("t").ok());
  EXPECT_EQ(fs_->List(directory_ + "/sst")->size(), 1u);
  ASSERT_TRUE(store_->DropTable("t").ok());
  EXPECT_TRUE(fs_->List(directory_ + "/sst")->empty());
  Open();
  EXPECT_EQ(store_->GetTable("t").status().code(), StatusCode::kNotFound);
}

TEST_F(StoreTest, SnapshotsOfReadersDoNotMove) {
  Create({{"a", FamilyType::kBytes, GcPolicy::MaxVersions(1)}});
  for (int i = 0; i < 10; ++i) Write(RowMutation("r" + std::to_string(i)).Set("a", "q", "old", 1));
  auto tablet = store_->FindTablet("t", "r");
  auto cells = (*tablet)->Read({});
  // The first of these writes change rows that the reader has not reached yet.
  for (int i = 9; i >= 0; --i) Write(RowMutation("r" + std::to_string(i)).Set("a", "q", "new", 2));
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  int seen = 0;
  for (; (*cells)->Valid(); (*cells)->Next(), ++seen) EXPECT_EQ((*cells)->cell().value, "old");
  EXPECT_EQ(seen, 10);
}

TEST_F(StoreTest, RunsThatDoNotOverlapAreJoinedWithoutWritingThemAgain) {
  FamilySchema family;
  family.name = "f";
  Create({family});
  for (int i : {2, 0, 3, 1}) {
    Write(RowMutation(fmt::format("row{}", i)).Set("f", "q", "v", 1));
    ASSERT_TRUE(store_->Flush("t").ok());
  }
  auto tablet = store_->Tablets("t")->front();
  auto compacted = tablet->CompactOnce();
  ASSERT_TRUE(compacted.ok() && *compacted) << compacted.status();
  GroupStats stats = tablet->Stats().front();
  EXPECT_EQ(stats.sstables, 4u);
  // All four files are in one run.
  EXPECT_NE(tablet->Dump().find(": 4 files"), std::string::npos) << tablet->Dump();
  EXPECT_EQ(store_->metrics()->Get("joined_runs")->value(), 4u);
  EXPECT_EQ(store_->metrics()->Get("merging_compactions")->value(), 0u);
  tablet.reset();  // must not outlive the store
  Expect("row0 f:q@1=v | row1 f:q@1=v | row2 f:q@1=v | row3 f:q@1=v");
}

TEST_F(StoreTest, AMutationIsMeasuredByWhatItStores) {
  Create({{"a", FamilyType::kBytes, {}}});
  RowMutation mutation(std::string(64 << 10, 'r'));
  for (int i = 0; i < 5000; ++i) mutation.Set("a", fmt::format("{}", i), "v", 1);
  Status status = store_->Apply("t", {&mutation}).front();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("write it in parts"), std::string::npos) << status;
}

TEST_F(StoreTest, WritesToADroppedFamilyDoNotHoldBackTheLog) {
  Create({{"a", FamilyType::kBytes, {}}, {"b", FamilyType::kBytes, {}}});
  Write(RowMutation("r").Set("b", "q", "v", 1));
  BookTable table = *store_->GetTable("t");
  TableSchema without = table.schema;
  std::erase_if(without.families, [](const FamilySchema& family) { return family.name == "b"; });
  for (LocalityGroupSchema& group : without.groups) std::erase(group.families, "b");
  ASSERT_TRUE(store_->AlterTable(without, table.schema_version).ok());
  Open();  // the replay drops the record completely
  EXPECT_EQ(Segments(), 1u);
  ASSERT_TRUE(store_->Flush("t").ok());
  EXPECT_EQ(Segments(), 0u);
  Expect("");
}

TEST_F(StoreTest, SegmentsOfManyShortLivesAreFlushedAway) {
  Create({{"a", FamilyType::kBytes, {}}});
  for (int i = 0; i < 12; ++i) {
    Write(RowMutation(fmt::format("r{:02}", i)).Set("a", "q", "v", 1));
    Open();
  }
  EXPECT_EQ(Segments(), 12u);
  store_.reset();
  StoreOptions options;
  options.fs = fs_.get();
  options.clock = Clock::System();
  store_ = *HostedTables::Open(directory_, options);
  for (int i = 0; i < 500 && Segments() > 8; ++i) Clock::System()->SleepMicros(10'000);
  EXPECT_LE(Segments(), 8u);
  Open();
  ReadSpec counted;
  counted.keys_only = true;
  std::string rows = Read(counted);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '|'), 11);
}

// A small idle table and a busy one; no memtable is ever large enough to be flushed on its own.
TEST_F(StoreTest, TheLogIsBoundedThoughNoMemtableIsFull) {
  store_.reset();
  StoreOptions options;
  options.fs = fs_.get();
  options.clock = Clock::System();
  options.log_segment_size = 8192;
  options.log_segments_max = 3;
  store_ = *HostedTables::Open(directory_, options);
  Create({{"a", FamilyType::kBytes, {}}}, {"m"});  // two tablets
  Write(RowMutation("idle").Set("a", "q", "v", 1));
  for (int i = 0; i < 1000; ++i) {
    Write(RowMutation(fmt::format("z{:03}", i)).Set("a", "q", std::string(100, 'v'), 1));
  }
  for (int i = 0; i < 500 && Segments() > 4; ++i) Clock::System()->SleepMicros(10'000);
  EXPECT_LE(Segments(), 4u) << "three closed ones and the open one";
  EXPECT_GE(store_->metrics()->Get("flushes")->value(), 2u) << "of both tablets";
  Open();
  ReadSpec counted;
  counted.keys_only = true;
  std::string rows = Read(counted);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '|'), 1000);
}

TEST_F(StoreTest, F_Q22_ALogThatRestsIsFlushedAndGoes) {
  store_.reset();
  ManualClock clock(1'000'000);
  StoreOptions options;
  options.fs = fs_.get();
  options.clock = &clock;
  options.log_segment_size = 8192;
  store_ = *HostedTables::Open(directory_, options);
  Create({{"a", FamilyType::kBytes, {}}});
  for (int i = 0; i < 300; ++i) {
    Write(RowMutation(fmt::format("z{:03}", i)).Set("a", "q", std::string(100, 'v'), 1));
  }
  EXPECT_GT(Segments(), 3u);
  // One minute passes with writes and one without; the background thread notices each in real time.
  for (int i = 0; i < 500 && Segments() > 1; ++i) {
    clock.SleepMicros(61'000'000);
    Clock::System()->SleepMicros(60'000);
  }
  EXPECT_LE(Segments(), 1u) << "the open one";
  store_.reset();  // destroyed before its clock
}

TEST_F(StoreTest, AStartWithNothingToReplayReadsNoLog) {
  Create({{"a", FamilyType::kBytes, {}}});
  for (int i = 0; i < 100; ++i) Write(RowMutation(fmt::format("r{}", i)).Set("a", "q", "v", 1));
  ASSERT_TRUE(store_->Flush("t").ok());
  Open();
  EXPECT_EQ(Segments(), 0u) << "the end of the last life found all of them flushed";
  EXPECT_EQ(store_->metrics()->Get("log_bytes_replayed")->value(), 0u);
  Write(RowMutation("s").Set("a", "q", "w", 1));
  Open();
  EXPECT_GT(store_->metrics()->Get("log_bytes_replayed")->value(), 0u);
}

TEST_F(StoreTest, StrangeNamesAreLeftAloneAndUnusedSegmentsGo) {
  Create({{"a", FamilyType::kBytes, {}}});
  Write(RowMutation("r").Set("a", "q", "v", 1));
  store_.reset();
  std::filesystem::create_directory(directory_ + "/sst/x");
  // A segment that was created but never written.
  std::ofstream(directory_ + "/wal/0000000000000009-00000001.log");
  Open();
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/sst/x"));
  EXPECT_EQ(Segments(), 1u);
  Expect("r a:q@1=v");
}

}  // namespace
}  // namespace sippar::engine
