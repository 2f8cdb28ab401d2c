// Scans of METADATA while tablets are split.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/metadata_scan.h"

#include <functional>

#include "tests/cluster/location/metadata_fixture.h"

namespace sippar::cluster {
namespace {

// METADATA that others change between two reads of one scan.
class ChangingData final : public DataApi {
 public:
  explicit ChangingData(DataApi* data) : data_(data) {}

  void Carry(const AnyCall& call, const CallOptions& options) override {
    data_->Carry(call, options);
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override {
    if (++reads == 2 && before_second_read) before_second_read();
    return data_->Read(table, read, options);
  }
  Status Run(const std::string& table, const RowRange& tablet_range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override {
    return data_->Run(table, tablet_range, program, options, sink);
  }

  int reads = 0;
  std::function<void()> before_second_read;

 private:
  DataApi* data_;
};

using MetadataScanTest = MetadataTableTest;

// The scan has passed the key of the left half before a split adds that record, and reads the right
// half after the split: the two keys are in different tablets of METADATA.
TEST_F(MetadataScanTest, AScanReadsTheHalfThatASplitAddedBehindIt) {
  ChangingData changing(data_.get());
  Add(5, {"", "g"}, 1);
  Add(5, {"m", ""}, 3);
  Add(6, {"", ""}, 4);
  changing.before_second_read = [&] { Add(5, {"g", "m"}, 2); };
  table_ = NewMetadataTable(&changing, session_.get());
  EXPECT_EQ(Print(), "[,g)#1 [g,m)#2 [m,)#3 [,)#4");
  EXPECT_EQ(changing.reads, 2);
}

TEST_F(MetadataScanTest, AFindReadsTheHalfThatASplitAddedBehindIt) {
  ChangingData changing(data_.get());
  Add(5, {"m", ""}, 3);
  changing.before_second_read = [&] { Add(5, {"", "m"}, 2); };
  table_ = NewMetadataTable(&changing, session_.get());
  EXPECT_EQ(Find(5, "a").tablet_id, 2u);
}

// A lost write to METADATA can leave a hole for ever.
TEST_F(MetadataScanTest, AHoleThatStaysIsReadTwice) {
  ChangingData changing(data_.get());
  Add(5, {"", "g"}, 1);
  Add(5, {"m", ""}, 3);
  Add(6, {"", ""}, 4);
  table_ = NewMetadataTable(&changing, session_.get());
  EXPECT_EQ(Print(), "[,g)#1 [m,)#3 [,)#4");
  EXPECT_EQ(changing.reads, 2);
}

// A record that is merging is held back until its right neighbour is read, also beside a hole.
TEST_F(MetadataScanTest, AScanReadsTheHalfBesideARecordThatIsMerging) {
  ChangingData changing(data_.get());
  Add(5, {"", "g"}, 1);
  TabletRecord merging = NewRecord(5, {"m", "p"}, 3);
  merging.phase = TabletPhase::kMerging;
  EXPECT_OK(table_->Add(&merging, kMade));
  Add(5, {"p", ""}, 4);
  changing.before_second_read = [&] { Add(5, {"g", "m"}, 2); };
  table_ = NewMetadataTable(&changing, session_.get());
  EXPECT_EQ(Print(), "[,g)#1 [g,m)#2 [m,p)#3 [p,)#4");
  EXPECT_EQ(changing.reads, 2);
}

// The root tablet's record, which is not in METADATA, is no hole; other missing records are.
TEST_F(MetadataScanTest, AScanReadsAHalfOfMetadataItself) {
  const std::string first = RootRange().limit;
  const std::string second = first + "m";
  ChangingData changing(data_.get());
  Add(kMetadataTableId, {second, ""}, 8);
  changing.before_second_read = [&] { Add(kMetadataTableId, {first, second}, 7); };
  MetadataScan scan(&changing, MetaRowsOf(kMetadataTableId, kMetadataTableId), ScanBorder());
  std::vector<uint64_t> seen;
  auto unfinished = scan.Continue([&](const TabletRecord& record) {
    seen.push_back(record.tablet_id);
    return true;
  });
  EXPECT_OK(unfinished);
  EXPECT_FALSE(unfinished->has_value());
  EXPECT_EQ(seen, (std::vector<uint64_t>{7, 8}));
  EXPECT_EQ(changing.reads, 2);
}

// The caller finishes a split or merge, and then the scan goes on.
TEST_F(MetadataScanTest, AScanStopsAtWhatIsUnfinishedAndGoesOn) {
  Add(5, {"", "m"}, 1);
  Add(5, {"m", ""}, 2);
  TabletRecord split = CommitSplit(5, "g", 10, 11);
  MetadataScan scan(data_.get(), MetaRowsOf(5, 5), ScanBorder());
  std::vector<uint64_t> seen;
  auto see = [&](const TabletRecord& record) {
    seen.push_back(record.tablet_id);
    return true;
  };
  auto unfinished = scan.Continue(see);
  EXPECT_OK(unfinished);
  ASSERT_TRUE(unfinished->has_value());
  EXPECT_EQ((*unfinished)->record.tablet_epoch, split.tablet_epoch);
  EXPECT_FALSE((*unfinished)->merged.has_value());
  EXPECT_TRUE(seen.empty());
  EXPECT_OK(table_->FinishSplit((*unfinished)->record));
  unfinished = scan.Continue(see);
  EXPECT_OK(unfinished);
  EXPECT_FALSE(unfinished->has_value());
  EXPECT_EQ(seen, (std::vector<uint64_t>{10, 11, 2}));
}

}  // namespace
}  // namespace sippar::cluster
