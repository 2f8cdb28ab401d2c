// Reads of what is stored: hidden versions and deletes, from the memtable, after a flush and after
// compactions.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/fs/memory_file_system.h"
#include "engine/model/stored_entry.h"
#include "tests/engine/store/hosted_history.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

using Lines = std::vector<std::string>;

std::string PrintBound(int64_t time_us, int64_t none) {
  return time_us == none ? "" : fmt::format("{}", time_us);
}

// "r f:q@5=v" for a version, "r -f:q[5,7)" for a delete, with "!" before what a read does not show.
std::string Print(const CellStream& stream) {
  const CellView& cell = stream.cell();
  const StoredEntry& entry = *stream.entry();
  switch (entry.kind) {
    case EntryKind::kRowTombstone:
      return fmt::format("{} -row", cell.row);
    case EntryKind::kFamilyTombstone:
      return fmt::format("{} -{}", cell.row, cell.family);
    case EntryKind::kColumnTombstone:
      return fmt::format("{} -{}:{}[{},{})", cell.row, cell.family, cell.qualifier,
                         PrintBound(entry.time.start_us, kTimeMin),
                         PrintBound(entry.time.limit_us, kTimeMax));
    case EntryKind::kCell:
      break;
  }
  return fmt::format("{}{} {}:{}@{}={}", entry.is_visible ? "" : "!", cell.row, cell.family,
                     cell.qualifier, cell.timestamp_us, cell.value);
}

Lines EntriesOf(CellStream* stream) {
  Lines lines;
  for (; stream->Valid(); stream->Next()) lines.push_back(Print(*stream));
  EXPECT_TRUE(stream->status().ok()) << stream->status();
  return lines;
}

class StoredEntriesTest : public testing::Test {
 protected:
  StoredEntriesTest() { Open(); }

  void Open() {
    store_.reset();
    StoreOptions options;
    options.fs = &fs_;
    options.clock = &clock_;
    options.background = false;
    auto opened = HostedTables::Open("/store", options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = std::move(*opened);
  }
  // Each family but the first is in a locality group of its own.
  void Create(std::vector<FamilySchema> families) {
    TableSchema schema;
    schema.name = "t";
    schema.families = std::move(families);
    for (size_t i = 1; i < schema.families.size(); ++i) {
      LocalityGroupSchema& group = schema.groups.emplace_back();
      group.name = "group_" + schema.families[i].name;
      group.families = {schema.families[i].name};
    }
    Status status = store_->CreateTable(schema, {});
    ASSERT_TRUE(status.ok()) << status;
  }
  void Write(const RowMutation& mutation) {
    Status status = store_->Apply("t", {&mutation}).front();
    ASSERT_TRUE(status.ok()) << status;
  }
  void Flush() { ASSERT_TRUE(store_->Flush("t").ok()); }
  void Compact() { ASSERT_TRUE(store_->CompactMajor("t", "").ok()); }
  std::unique_ptr<CellStream> Read(const ReadSpec& read, ReadForm form) {
    auto stream = (*store_->FindTablet("t", ""))->Read(read, nullptr, nullptr, form);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return std::move(*stream);
  }
  Lines Entries(const ReadSpec& read = {}) {
    return EntriesOf(Read(read, ReadForm::kEntries).get());
  }

  MemoryFileSystem fs_;
  ManualClock clock_{1'000'000};
  std::unique_ptr<HostedTables> store_;
};

const FamilySchema kFamilyF = {"f", FamilyType::kBytes, {}};
const FamilySchema kFamilyG = {"g", FamilyType::kBytes, {}};

TEST_F(StoredEntriesTest, DeletesAndWhatTheyHideAreShownUntilACompactionRemovesThem) {
  Create({kFamilyF, kFamilyG});
  Write(RowMutation("column").Set("f", "q", "old", 5).Set("f", "r", "other", 5));
  Write(RowMutation("column").DeleteColumn("f", "q"));
  Write(RowMutation("column").Set("f", "q", "new", 4));
  Write(RowMutation("family").Set("f", "q", "1", 5).Set("g", "q", "2", 5));
  Write(RowMutation("family").DeleteFamily("g"));
  Write(RowMutation("range").Set("f", "q", "5", 5).Set("f", "q", "6", 6).Set("f", "q", "7", 7));
  Write(RowMutation("range").DeleteColumn("f", "q", {5, 7}));
  Write(RowMutation("row").Set("f", "q", "1", 5).Set("g", "q", "2", 5));
  Write(RowMutation("row").DeleteRow());
  Write(RowMutation("row").Set("g", "q", "3", 1));
  EXPECT_EQ(Entries(),
            (Lines{"column -f:q[,)", "!column f:q@5=old", "column f:q@4=new", "column f:r@5=other",
                   "family f:q@5=1", "family -g", "!family g:q@5=2", "range -f:q[5,7)",
                   "range f:q@7=7", "!range f:q@6=6", "!range f:q@5=5", "row -row", "!row f:q@5=1",
                   "!row g:q@5=2", "row g:q@1=3"}));
  // A flush leaves out what a delete of a whole column, family or row hides.
  Flush();
  EXPECT_EQ(Entries(), (Lines{"column -f:q[,)", "column f:q@4=new", "column f:r@5=other",
                              "family f:q@5=1", "family -g", "range -f:q[5,7)", "range f:q@7=7",
                              "!range f:q@6=6", "!range f:q@5=5", "row -row", "row g:q@1=3"}));
  Compact();
  const Lines cells = {"column f:q@4=new", "column f:r@5=other", "family f:q@5=1", "range f:q@7=7",
                       "row g:q@1=3"};
  EXPECT_EQ(Entries(), cells);
  Open();
  EXPECT_EQ(Entries(), cells);
}

TEST_F(StoredEntriesTest, DeletesInTheMemtableHideVersionsInFiles) {
  Create({kFamilyF});
  Write(RowMutation("r").Set("f", "q", "1", 5).Set("f", "r", "2", 5));
  Flush();
  Write(RowMutation("r").DeleteColumn("f", "q"));
  Write(RowMutation("r").DeleteRow());
  EXPECT_EQ(Entries(), (Lines{"r -row", "r -f:q[,)", "!r f:q@5=1", "!r f:r@5=2"}));
}

TEST_F(StoredEntriesTest, VersionsThatTheRuleOrAnotherPutHidesAreShown) {
  Create({{"f", FamilyType::kBytes, GcPolicy::MaxVersions(1)},
          {"g", FamilyType::kBytes, GcPolicy::MaxAge(100)}});
  Write(RowMutation("r").Set("f", "q", "first", 5).Set("g", "q", "old", 5));
  Write(RowMutation("r").Set("f", "q", "second", 5).Set("g", "q", "new", 999'990));
  Write(RowMutation("r").Set("f", "q", "older", 4));
  const Lines all = {"r f:q@5=second", "!r f:q@5=first", "!r f:q@4=older", "r g:q@999990=new",
                     "!r g:q@5=old"};
  EXPECT_EQ(Entries(), all);
  Flush();
  EXPECT_EQ(Entries(), all);
  Compact();
  EXPECT_EQ(Entries(), (Lines{"r f:q@5=second", "r g:q@999990=new"}));
  // The delete of the newest version does not bring an older one back.
  Write(RowMutation("r").Set("f", "q", "newest", 9));
  Write(RowMutation("r").DeleteColumn("f", "q", {9, 10}));
  EXPECT_EQ(Entries(),
            (Lines{"r -f:q[9,10)", "!r f:q@9=newest", "!r f:q@5=second", "r g:q@999990=new"}));
}

TEST_F(StoredEntriesTest, TheDeletesOfOneRowComeOnceForAllGroups) {
  Create({kFamilyF, kFamilyG});
  Write(RowMutation("a").DeleteRow());
  Write(RowMutation("a").DeleteRow());
  Write(RowMutation("b").DeleteRow());
  EXPECT_EQ(Entries(), (Lines{"a -row", "a -row", "b -row"}));
  ReadSpec reverse;
  reverse.reverse = true;
  EXPECT_EQ(Entries(reverse), (Lines{"b -row", "a -row", "a -row"}));
}

TEST_F(StoredEntriesTest, ADeleteIsShownIfItCoversTheWantedColumnsAndTimes) {
  Create({kFamilyF, kFamilyG});
  Write(RowMutation("r").Set("f", "a", "1", 5).Set("f", "b", "2", 5).Set("g", "a", "3", 5));
  Write(RowMutation("r").DeleteColumn("f", "a", {3, 6}).DeleteColumn("f", "b", {5, kTimeMax}));
  Write(RowMutation("r").DeleteFamily("f").DeleteFamily("g").DeleteRow());
  ReadSpec read;
  read.columns = {ColumnPattern::Exact("f", "a")};
  EXPECT_EQ(Entries(read), (Lines{"r -row", "r -f", "r -f:a[3,6)", "!r f:a@5=1"}));
  read.time = {5, 6};
  EXPECT_EQ(Entries(read), (Lines{"r -row", "r -f", "r -f:a[3,6)", "!r f:a@5=1"}));
  read.time = {6, 9};
  EXPECT_EQ(Entries(read), (Lines{"r -row", "r -f"}));
  read.columns = {{NamePattern::Any(), NamePattern::Regex("^b")}};
  EXPECT_EQ(Entries(read), (Lines{"r -row", "r -f", "r -f:b[5,)", "r -g"}));
  read.rows = RowSet(RowRange::Single("other"));
  EXPECT_EQ(Entries(read), Lines());
}

TEST_F(StoredEntriesTest, WhatADroppedFamilyHadIsNotShown) {
  Create({kFamilyF, kFamilyG});
  Write(RowMutation("r").Set("f", "q", "1", 5).Set("g", "q", "2", 5));
  Write(RowMutation("r").DeleteColumn("f", "q").DeleteFamily("f"));
  Write(RowMutation("s").Set("f", "q", "3", 5));
  TableSchema schema = store_->GetTable("t")->schema;
  schema.families[0].incarnation = 1;
  ASSERT_TRUE(store_->AlterTable(schema, 1).ok());
  EXPECT_EQ(Entries(), Lines{"r g:q@5=2"});
  ReadSpec reverse;
  reverse.reverse = true;
  EXPECT_EQ(Entries(reverse), Lines{"r g:q@5=2"});
  Write(RowMutation("r").Set("f", "q", "4", 1));
  Write(RowMutation("r").DeleteColumn("f", "q"));
  EXPECT_EQ(Entries(), (Lines{"r -f:q[,)", "!r f:q@1=4", "r g:q@5=2"}));
}

TEST_F(StoredEntriesTest, AStreamShowsTheMomentAtWhichItBegan) {
  Create({kFamilyF});
  Write(RowMutation("r").Set("f", "q", "1", 5));
  auto stream = Read({}, ReadForm::kEntries);
  Write(RowMutation("r").DeleteColumn("f", "q").Set("f", "r", "2", 5));
  Flush();
  EXPECT_EQ(EntriesOf(stream.get()), Lines{"r f:q@5=1"});
}

TEST_F(StoredEntriesTest, RowsCanBeSkipped) {
  Create({kFamilyF});
  for (const char* row : {"a", "b", "c"}) {
    Write(RowMutation(row).Set("f", "q", "1", 5));
    Write(RowMutation(row).DeleteRow());
  }
  for (bool reverse : {false, true}) {
    ReadSpec read;
    read.reverse = reverse;
    std::string rows;
    for (auto stream = Read(read, ReadForm::kEntries); stream->Valid(); stream->NextRow()) {
      rows += stream->cell().row;
    }
    EXPECT_EQ(rows, reverse ? "cba" : "abc");
  }
}

// Limits of a read that count cells do not apply to entries.
ReadSpec WithoutCounts(ReadSpec read) {
  ReadSpec all;
  all.rows = read.rows;
  all.columns = read.columns;
  all.time = read.time;
  all.reverse = read.reverse;
  return all;
}

TEST(StoredEntriesHistory, TheVisibleOnesAreTheCellsOfARead) {
  uint64_t hidden = 0, deletes = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    MemoryFileSystem fs;
    ManualClock clock(1'000);
    RandomHistory history(seed);
    TableSchema schema = history.Schema();
    auto store = HostedTables::Open("/s", LadderOptions(&fs, &clock));
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE((*store)->CreateTable(schema, history.SplitKeys()).ok());
    for (int step = 0; step < 60; ++step) {
      clock.Set(clock.NowMicros() + static_cast<int64_t>(history.random()->Uniform(3)));
      RowMutation mutation = history.Mutation(schema, clock.NowMicros());
      ASSERT_TRUE((*store)->Apply("t", {&mutation}).front().ok());
      if (history.random()->OneIn(12)) ASSERT_TRUE((*store)->Flush("t").ok());
      if (history.random()->OneIn(24)) ASSERT_TRUE((*store)->CompactMajor("t", "").ok());
      const ReadSpec read = WithoutCounts(history.Read(schema, clock.NowMicros()));
      auto tablets = (*store)->Tablets("t");
      ASSERT_TRUE(tablets.ok());
      for (const auto& tablet : *tablets) {
        auto cells = tablet->Read(read);
        auto entries = tablet->Read(read, nullptr, nullptr, ReadForm::kEntries);
        ASSERT_TRUE(cells.ok() && entries.ok());
        std::vector<Cell> shown, visible;
        for (; (*cells)->Valid(); (*cells)->Next()) shown.emplace_back((*cells)->cell());
        for (; (*entries)->Valid(); (*entries)->Next()) {
          const StoredEntry& entry = *(*entries)->entry();
          if (entry.is_visible) {
            visible.emplace_back((*entries)->cell());
          } else {
            ++(entry.kind == EntryKind::kCell ? hidden : deletes);
          }
        }
        ASSERT_TRUE((*entries)->status().ok()) << (*entries)->status();
        ASSERT_EQ(shown == visible, true) << "seed " << seed << " step " << step;
      }
    }
  }
  EXPECT_GT(hidden, 1000u);
  EXPECT_GT(deletes, 1000u);
}

}  // namespace
}  // namespace sippar::engine
