// Tests METADATA over an ordinary table of a store.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/metadata_table.h"

#include "cluster/location/tiling.h"
#include "engine/base/limits.h"
#include "tests/cluster/location/metadata_fixture.h"

namespace sippar::cluster {
namespace {

TEST_F(MetadataTableTest, RecordsAreFoundByRow) {
  Add(5, {"", "g"}, 1);
  Add(5, {"g", "p"}, 2);
  Add(5, {"p", ""}, 3);
  Add(6, {"", ""}, 4);
  EXPECT_EQ(Print(), "[,g)#1 [g,p)#2 [p,)#3 [,)#4");
  EXPECT_EQ(Print(5, 5), "[,g)#1 [g,p)#2 [p,)#3");
  EXPECT_EQ(Find(5, "a").tablet_id, 1u);
  EXPECT_EQ(Find(5, "g").tablet_id, 2u);
  EXPECT_EQ(Find(5, "zz").tablet_id, 3u);
  EXPECT_EQ(Find(6, "a").tablet_id, 4u);
  EXPECT_CODE(table_->Find(7, "a"), StatusCode::kNotFound);
  EXPECT_CODE(table_->Find(4, "a"), StatusCode::kNotFound);
}

TEST_F(MetadataTableTest, AWriteNeedsTheRecordThatWasRead) {
  Add(5, {"", ""}, 1);
  TabletRecord server = Find(5, "x");
  TabletRecord master = server;
  server.state.redo_sequence = 99;  // a flush
  EXPECT_OK(table_->Write(&server, {"flushed", ""}));
  EXPECT_EQ(server.change, 2u);
  // A write based on the older read would undo the flush, whose log may already be deleted.
  ++master.tablet_epoch;
  master.phase = TabletPhase::kRecovering;
  EXPECT_CODE(table_->Write(&master, {"recovering", ""}), StatusCode::kAborted);
  EXPECT_EQ(Find(5, "x").state.redo_sequence, 99u);
  master = Find(5, "x");
  ++master.tablet_epoch;
  master.phase = TabletPhase::kRecovering;
  EXPECT_OK(table_->Write(&master, {"recovering", ""}));
  // From now on the old server's writes are rejected.
  server.state.redo_sequence = 120;
  EXPECT_CODE(table_->Write(&server, {"flushed", ""}), StatusCode::kAborted);
}

// N4: the call is carried out, its answer is lost, and the caller repeats it.
TEST_F(MetadataTableTest, N4EveryChangeMayBeRepeated) {
  TabletRecord added = NewRecord(5, {"", ""}, 1);
  TabletRecord again = added;
  EXPECT_OK(table_->Add(&added, kMade));
  EXPECT_OK(table_->Add(&again, kMade));
  TabletRecord other = NewRecord(5, {"", ""}, 2);
  EXPECT_CODE(table_->Add(&other, kMade), StatusCode::kAborted);

  again = added;
  ++again.tablet_epoch;
  TabletRecord twice = again;
  EXPECT_OK(table_->Write(&again, kMade));
  EXPECT_OK(table_->Write(&twice, kMade));
  EXPECT_EQ(twice.change, again.change);

  TabletRecord split = CommitSplit(5, "m", 2, 3);
  EXPECT_OK(table_->FinishSplit(split));
  EXPECT_OK(table_->FinishSplit(split));
  EXPECT_EQ(Print(), "[,m)#2 [m,)#3");

  TabletRecord left = Find(5, "a");
  EXPECT_OK(table_->Erase(left, kMade));
  EXPECT_OK(table_->Erase(left, kMade));
  EXPECT_EQ(Print(), "[m,)#3");
}

TEST_F(MetadataTableTest, GroupsThatAreGoneLeaveNoFiles) {
  TabletRecord record = NewRecord(5, {"", ""}, 1);
  record.state.Group("old")->runs.emplace_back().run_id = 4;
  EXPECT_OK(table_->Add(&record, kMade));
  record.state.groups.clear();
  record.state.Group("new");
  EXPECT_OK(table_->Write(&record, kMade));
  TabletRecord stored = Find(5, "x");
  ASSERT_EQ(stored.state.groups.size(), 1u);
  EXPECT_EQ(stored.state.groups[0].name, "new");
  ReadSpec read;
  read.columns = {engine::ColumnPattern::Exact("files", "old")};
  auto cells = data_->Read(kMetadataName, read, {});
  EXPECT_OK(cells);
  EXPECT_FALSE((*cells)->Valid());
}

TEST_F(MetadataTableTest, WhoeverReadsFinishesASplit) {
  Add(5, {"", "p"}, 1);
  Add(5, {"p", ""}, 2);
  TabletRecord split = CommitSplit(5, "g", 10, 11);
  EXPECT_EQ(Print(5, 5), "[,g)#10 [g,p)#11 [p,)#2");
  EXPECT_TRUE(CheckTiling(Records(5, 5)).empty());
  EXPECT_EQ(Find(5, "h").tablet_epoch, split.tablet_epoch);
  // The former owner of the parent cannot write it any more.
  split.split.reset();
  EXPECT_CODE(table_->Write(&split, kMade), StatusCode::kAborted);
}

// A server that split a tablet and then slept identifies its children by the parent's number of
// changes. Records of later owners have higher numbers.
TEST_F(MetadataTableTest, WhoSplitATabletTakesNoRecordOfLaterOwnersForItsOwn) {
  Add(5, {"", ""}, 1);
  for (int i = 0; i < 6; ++i) {
    TabletRecord record = Find(5, "x");
    EXPECT_OK(table_->Write(&record, {"flushed", ""}));
  }
  auto [left, right] = ChildrenOf(CommitSplit(5, "g", 10, 11));
  for (int i = 0; i < 12; ++i) {
    for (TabletRecord* asleep : {&left, &right}) {
      TabletRecord later = Find(5, asleep->range.start);
      ++later.tablet_epoch;
      EXPECT_OK(table_->Write(&later, {"assigned", ""}));
      TabletRecord late = *asleep;
      EXPECT_CODE(table_->Write(&late, {"flushed", ""}), StatusCode::kAborted) << i;
    }
  }
}

TEST_F(MetadataTableTest, ASplitThatIsHalfSpelledOutIsFinished) {
  Add(5, {"", ""}, 1);
  TabletRecord split = CommitSplit(5, "g", 10, 11);
  TabletRecord left = ChildrenOf(split).first;
  EXPECT_OK(table_->Add(&left, kMade));
  EXPECT_EQ(Print(5, 5), "[,g)#10 [g,)#11");
}

// A process that slept during a split, its finish and a later merge must not restore the left half.
TEST_F(MetadataTableTest, ASleepersFinishOfASplitChangesNothing) {
  Add(5, {"", ""}, 1);
  TabletRecord split = CommitSplit(5, "g", 10, 11);
  EXPECT_OK(table_->FinishSplit(split));
  TabletRecord left = Find(5, "a");
  TabletRecord right = Find(5, "h");
  for (TabletRecord* half : {&left, &right}) {
    half->phase = TabletPhase::kMerging;
    ++half->tablet_epoch;
    EXPECT_OK(table_->Write(half, {"merging", ""}));
  }
  TabletRecord merged = NewRecord(5, {"", ""}, 12);
  merged.tablet_epoch = right.tablet_epoch + 1;
  EXPECT_OK(table_->Merge(left, right, &merged, {"merged", ""}));
  EXPECT_EQ(Print(), "[,)#12");
  EXPECT_OK(table_->FinishSplit(split));
  EXPECT_EQ(Print(), "[,)#12");
  // A new split at the same row succeeds.
  TabletRecord second = CommitSplit(5, "g", 13, 14);
  EXPECT_OK(table_->FinishSplit(second));
  EXPECT_EQ(Print(), "[,g)#13 [g,)#14");
}

TEST_F(MetadataTableTest, WhoeverReadsFinishesAMerge) {
  Add(5, {"", "g"}, 1);
  Add(5, {"g", ""}, 2);
  TabletRecord left = Find(5, "a");
  left.phase = TabletPhase::kMerging;
  EXPECT_OK(table_->Write(&left, {"merging", ""}));
  EXPECT_EQ(Print(), "[,g)#1 [g,)#2");  // the merge is not committed, so both tablets still exist
  EXPECT_EQ(Find(5, "a").tablet_id, 1u);
  TabletRecord right = Find(5, "h");
  right.range.start = "";
  right.state.range.start = "";
  right.tablet_epoch = std::max(left.tablet_epoch, right.tablet_epoch) + 1;
  // Writes the record as Merge does, but does not finish the merge.
  EXPECT_OK(table_->Write(&right, {"merged", ""}));
  EXPECT_EQ(Find(5, "a").tablet_id, 2u);
  EXPECT_EQ(Print(), "[,)#2");
}

// Found by the simulator: the left half was erased as if it had been merged into the unfinished
// split, so the table had a hole.
TEST_F(MetadataTableTest, AHalfThatMergesWithItsLeftNeighbourIsNotPartOfAnUnfinishedSplit) {
  Add(5, {"", "c"}, 1);
  Add(5, {"c", ""}, 2);
  TabletRecord split = CommitSplit(5, "g", 10, 11);
  TabletRecord left = ChildrenOf(split).first;
  EXPECT_OK(table_->Add(&left, kMade));  // the process ends before it writes the right half
  for (int i = 0; i < 2; ++i) {          // the half moves; then its merge begins
    ++left.tablet_epoch;
    left.phase = i == 0 ? TabletPhase::kAssigned : TabletPhase::kMerging;
    EXPECT_OK(table_->Write(&left, {"moved", ""}));
  }
  EXPECT_EQ(Print(), "[,c)#1 [c,g)#10 [g,)#11");
  EXPECT_EQ(Find(5, "d").tablet_id, 10u);
}

TEST_F(MetadataTableTest, TheRootTabletsRecordIsAFileOfTheLockService) {
  TabletRecord root = NewRecord(kMetadataTableId, RootRange(), 1);
  EXPECT_OK(table_->Add(&root, kMade));
  Add(kMetadataTableId, {RootRange().limit, ""}, 2);
  Add(5, {"", ""}, 3);
  EXPECT_EQ(Find(kMetadataTableId, MetaRowKey(kMetadataTableId, "")).tablet_id, 1u);
  EXPECT_EQ(Find(kMetadataTableId, MetaRowKey(5, "")).tablet_id, 2u);
  std::vector<TabletRecord> all = Records(0);
  ASSERT_EQ(all.size(), 3u);
  all.pop_back();
  EXPECT_TRUE(CheckTiling(all).empty());
  TabletRecord stale = root;
  root.state.redo_sequence = 5;
  EXPECT_OK(table_->Write(&root, kMade));
  EXPECT_EQ(root.change, 2u);
  stale.state.redo_sequence = 6;
  EXPECT_CODE(table_->Write(&stale, kMade), StatusCode::kAborted);
  EXPECT_EQ(Find(kMetadataTableId, "").state.redo_sequence, 5u);
}

TEST_F(MetadataTableTest, TooLongLimitsAreRefused) {
  Add(5, {"", ""}, 1);
  std::string row(limits::kRowKeySizeMax, 'k');
  TabletRecord record = Find(5, row);
  record.split = SplitRecord{record.state, record.state};
  record.split->left.range.limit = row;
  record.split->right.range.start = row;
  EXPECT_CODE(table_->Write(&record, kMade), StatusCode::kInvalidArgument);
  EXPECT_EQ(Print(), "[,)#1");
}

TEST_F(MetadataTableTest, EventsTellATabletsLife) {
  Add(5, {"", ""}, 1);
  lock_.Pass(kSecond);
  TabletRecord split = CommitSplit(5, "g", 10, 11);
  lock_.Pass(kSecond);
  EXPECT_OK(table_->FinishSplit(split));
  lock_.Pass(kSecond);
  EXPECT_OK(table_->Erase(Find(5, "a"), {"dropped", "with its table"}));
  auto events = table_->Events(5);
  EXPECT_OK(events);
  std::string text;
  for (const PastEvent& past : *events) {
    text += fmt::format("{} {}: {}\n", past.limit, past.event.kind, past.event.text);
  }
  EXPECT_EQ(text,
            " made: by a test\n split: at g\ng split: off tablet 1\n split: off tablet 1\n"
            "g dropped: with its table\n");
}

}  // namespace
}  // namespace sippar::cluster
