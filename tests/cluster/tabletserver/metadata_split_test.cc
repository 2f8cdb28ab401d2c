// Tests at which row a tablet of METADATA is split.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/meta_row.h"
#include "tests/cluster/tabletserver/server_world.h"

namespace sippar::cluster {
namespace {

class MetadataSplitTest : public ServerWorld {
 protected:
  MetadataSplitTest() {
    table_.table_id = kMetadataTableId;
    table_.schema = MetadataSchema();
    server_ = Start("s1");
    record_.table_id = record_.state.table_id = kMetadataTableId;
    record_.range = record_.state.range = {RootRange().limit, ""};
    record_.tablet_id = record_.state.tablet_id = 900;
    record_.tablet_epoch = 1;
    record_.phase = TabletPhase::kAssigned;
    record_.server = server_->id();
    EXPECT_OK(metadata_->Add(&record_, {"made", "by a test"}));
    EXPECT_OK(server_->Control()->Do(calls::LoadTablet{kMaster, record_, table_}));
    for (const char* limit : {"c", "g", "p", ""}) AddRecord(limit);
  }
  // Writes to the tablet a record of a tablet of table 7.
  void AddRecord(const std::string& limit) {
    TabletRecord record;
    record.table_id = kTable;
    record.tablet_id = ++tablets_made_;
    record.range.limit = limit;
    RowMutation mutation(MetaRowKey(kTable, limit));
    for (const MetaCell& cell : EncodeMetaRow(record)) {
      mutation.Set(cell.family, cell.qualifier, cell.value);
    }
    const RowMutation* only = &mutation;
    EXPECT_OK(OnlyPart(server_->Tablets()->Do(
        calls::ApplyRows<TabletAddress>{{record_.tablet_id, record_.tablet_epoch}, {&only, 1}})));
  }
  // The first row of the right half, if a split at `row` is wanted.
  std::string CutAt(const std::string& row) {
    EXPECT_OK(server_->Control()->Do(calls::SplitTablet{kMaster, record_.tablet_id, row}));
    auto right = metadata_->Find(kMetadataTableId, row);
    EXPECT_OK(right);
    return right.ok() ? right->range.start : "";
  }

  std::shared_ptr<TabletServer> server_;
  TabletRecord record_;
};

// The look-ups of the rows from "g" on find their record in the right half at once.
TEST_F(MetadataSplitTest, ItIsRightAfterARecord) {
  const std::string cut = CutAt(MetaRowKey(kTable, "p"));
  EXPECT_EQ(cut, MetaSplitRow(MetaRowKey(kTable, "g")));
  EXPECT_LE(cut, MetaRowsFrom(kTable, "g").start);
}

TEST_F(MetadataSplitTest, ARowThatIsNoRecordIsMovedToo) {
  EXPECT_EQ(CutAt(MetaRowKey(kTable, "m")), MetaSplitRow(MetaRowKey(kTable, "g")));
}

TEST_F(MetadataSplitTest, ARowRightAfterARecordStays) {
  const std::string row = MetaSplitRow(MetaRowKey(kTable, "c"));
  EXPECT_EQ(CutAt(row), row);
}

}  // namespace
}  // namespace sippar::cluster
