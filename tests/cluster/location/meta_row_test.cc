// Rows of METADATA: encoding and decoding, order of keys, damage, tiling.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/meta_row.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cluster/location/tiling.h"
#include "engine/base/limits.h"
#include "tests/cluster/location/random_record.h"

namespace sippar::cluster {
namespace {

// Returns the cells of a list as a read does.
class ListStream final : public engine::CellStream {
 public:
  explicit ListStream(std::vector<engine::Cell> cells) : cells_(std::move(cells)) { Show(); }
  bool Valid() const override { return next_ < cells_.size(); }
  const engine::CellView& cell() const override { return view_; }
  void Next() override {
    ++next_;
    Show();
  }
  void NextRow() override { Next(); }
  Status status() const override { return OkStatus(); }

 private:
  void Show() {
    if (Valid()) view_ = cells_[next_].view();
  }
  std::vector<engine::Cell> cells_;
  size_t next_ = 0;
  engine::CellView view_;
};

std::vector<engine::Cell> StoredCells(const TabletRecord& record) {
  std::vector<engine::Cell> cells;
  for (MetaCell& cell : EncodeMetaRow(record)) {
    engine::Cell& stored = cells.emplace_back();
    stored.row = MetaRowKey(record.table_id, record.range.limit);
    stored.family = cell.family;
    stored.qualifier = cell.qualifier;
    stored.value = cell.value;
  }
  return cells;
}

StatusOr<std::vector<TabletRecord>> Decode(std::vector<engine::Cell> cells, MetaPart part) {
  ListStream stream(std::move(cells));
  std::vector<TabletRecord> records;
  RETURN_IF_ERROR(DecodeMetaRows(&stream, part, [&](TabletRecord record) {
    records.push_back(std::move(record));
    return true;
  }));
  return records;
}

TEST(MetaRow, RandomRecordsComeBack) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    engine::Random random(seed);
    TabletRecord record = RandomRecord(&random);
    auto back = Decode(StoredCells(record), MetaPart::kWhole);
    ASSERT_TRUE(back.ok()) << back.status() << " seed " << seed;
    ASSERT_EQ(back->size(), 1u);
    const TabletRecord& got = back->front();
    EXPECT_EQ(got.state.Encode(), record.state.Encode());
    EXPECT_EQ(EncodeRootFile(got), EncodeRootFile(record)) << "seed " << seed;
    EXPECT_EQ(got.range, record.range);
    EXPECT_EQ(got.server, record.server);
    EXPECT_EQ(got.logs, record.logs);
    EXPECT_EQ(got.split.has_value(), record.split.has_value());
    EXPECT_EQ(got.suspicion, record.suspicion);
  }
}

// Tests rows written by servers that do not know the suspicion column.
TEST(MetaRow, WithoutSuspicionNothingIsSuspected) {
  engine::Random random(4);
  TabletRecord record = RandomRecord(&random);
  record.suspicion.reset();
  std::vector<engine::Cell> cells = StoredCells(record);
  for (const engine::Cell& cell : cells) {
    EXPECT_NE(cell.qualifier, "deaths");
    EXPECT_NE(cell.qualifier, "set_aside");
  }
  auto back = Decode(cells, MetaPart::kPlace);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->front().suspicion, TabletSuspicion());
}

TEST(MetaRow, ThePlaceNeedsNoFiles) {
  engine::Random random(3);
  TabletRecord record = RandomRecord(&random);
  std::vector<engine::Cell> cells = StoredCells(record);
  std::erase_if(cells, [](const engine::Cell& cell) {
    return cell.family != "location" && cell.family != "state";
  });
  EXPECT_EQ(Decode(cells, MetaPart::kWhole).status().code(), StatusCode::kDataLoss);
  auto back = Decode(cells, MetaPart::kPlace);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->front().server, record.server);
  EXPECT_EQ(back->front().tablet_epoch, record.tablet_epoch);
  EXPECT_TRUE(back->front().state.groups.empty());
}

// Damage causes an error that names the row, or leaves a record of the right tablet; never a crash.
TEST(MetaRow, DamagedCellsAreErrorsOrHarmless) {
  size_t refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    engine::Random random(seed);
    TabletRecord record = RandomRecord(&random);
    std::vector<engine::Cell> cells = StoredCells(record);
    engine::Cell& victim = cells[random.Uniform(cells.size())];
    if (random.OneIn(4)) {
      victim.qualifier += "x";
    } else if (victim.value.empty() || random.OneIn(3)) {
      victim.value += RandomBytes(&random, 5);
    } else if (random.OneIn(2)) {
      victim.value.resize(random.Uniform(victim.value.size()));
    } else {
      victim.value[random.Uniform(victim.value.size())] ^=
          static_cast<char>(1 + random.Uniform(255));
    }
    auto back = Decode(cells, MetaPart::kWhole);
    if (back.ok()) {
      EXPECT_EQ(back->front().table_id, record.table_id);
      continue;
    }
    ++refused;
    EXPECT_EQ(back.status().code(), StatusCode::kDataLoss);
    EXPECT_NE(MessageOf(back.status()).find("METADATA row"), std::string::npos) << back.status();
  }
  EXPECT_GT(refused, 1000u);
}

TEST(MetaRow, KeysOrderTabletsByRows) {
  EXPECT_LT(MetaRowKey(5, "a"), MetaRowKey(5, "b"));
  EXPECT_LT(MetaRowKey(5, std::string("\xff\xff")), MetaRowKey(5, ""));
  EXPECT_LT(MetaRowKey(5, ""), MetaRowKey(6, std::string(1, '\0')));
  // The record that contains a row is the first one at or after the seek key.
  EXPECT_LE(MetaRowsFrom(5, "a").start, MetaRowKey(5, "b"));
  EXPECT_GT(MetaRowsFrom(5, "b").start, MetaRowKey(5, "b"));
  EXPECT_LE(MetaRowsFrom(5, "b").start, MetaRowKey(5, std::string("b\0", 2)));
  EXPECT_FALSE(MetaRowsFrom(5, "b").Contains(MetaRowKey(6, "c")));
  EXPECT_TRUE(RootRange().Contains(MetaRowKey(kMetadataTableId, "")));
  EXPECT_FALSE(RootRange().Contains(MetaRowKey(kMetadataTableId + 1, std::string(1, '\0'))));
  for (std::string_view bad : {"", "12345678", "12345678\2a", "12345678\1a"}) {
    uint64_t table_id = 0;
    std::string limit;
    EXPECT_EQ(ParseMetaRowKey(bad, &table_id, &limit).code(), StatusCode::kDataLoss);
  }
}

TEST(MetaRow, LimitsTooLongForAKeyAreRefused) {
  EXPECT_TRUE(CheckLimit(std::string(limits::kRowKeySizeMax - 9, 'x')).ok());
  Status refused = CheckLimit(std::string(limits::kRowKeySizeMax - 8, 'x'));
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(MessageOf(refused).find("split at a shorter key"), std::string::npos);
}

TEST(MetaRow, TheRootFileIsCheckedWhole) {
  TabletRecord root = NewRecord(kMetadataTableId, RootRange(), 1);
  std::string file = EncodeRootFile(root);
  auto back = DecodeRootFile(file, 9);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->change, 9u);
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(DecodeRootFile(file.substr(0, size), 9).ok()) << size;
  }
  EXPECT_FALSE(DecodeRootFile(EncodeRootFile(NewRecord(5, RootRange(), 1)), 9).ok() &&
               back->table_id != kMetadataTableId);
}

TEST(MetaRow, TheLevelsOfALookUpHaveLanesOfTheirOwn) {
  EXPECT_EQ(LaneOf(kMetadataTableId, RootRange()), net::Lane::kRoot);
  EXPECT_EQ(LaneOf(kMetadataTableId, {RootRange().limit, ""}), net::Lane::kMetadata);
  EXPECT_EQ(LaneOf(kMetadataTableId + 1, {"", ""}), net::Lane::kUsers);
  EXPECT_EQ(LaneOf(kMetadataTableId + 1, {"m", ""}), net::Lane::kUsers);
}

TEST(MetaRow, TheSchemaIsValid) { EXPECT_TRUE(MetadataSchema().Validate().ok()); }

std::vector<TabletRecord> Tiled(const std::vector<std::string>& limits) {
  std::vector<TabletRecord> records;
  std::string start;
  for (const std::string& limit : limits) {
    records.push_back(NewRecord(5, {start, limit}, records.size() + 1));
    start = limit;
  }
  return records;
}

TEST(Tiling, FaultsAreNamed) {
  EXPECT_TRUE(CheckTiling(Tiled({""})).empty());
  EXPECT_TRUE(CheckTiling(Tiled({"b", "d", ""})).empty());
  using Faults = std::vector<TilingFault>;
  EXPECT_EQ(CheckTiling({}), (Faults{{TilingFault::kHole, {}, 0}}));

  std::vector<TabletRecord> hole = Tiled({"b", "d", ""});
  hole.erase(hole.begin() + 1);
  EXPECT_EQ(CheckTiling(hole), (Faults{{TilingFault::kHole, {"b", "d"}, 3}}));

  EXPECT_EQ(CheckTiling(Tiled({"b", "d"})), (Faults{{TilingFault::kHole, {"d", ""}, 0}}));

  std::vector<TabletRecord> overlap = Tiled({"b", "d", ""});
  overlap[1].range.start = "a";
  EXPECT_EQ(CheckTiling(overlap), (Faults{{TilingFault::kOverlap, {"a", "b"}, 2}}));
  overlap[0].phase = TabletPhase::kMerging;  // the range is not entirely inside the next one: both
                                             // tablets still claim rows
  EXPECT_EQ(CheckTiling(overlap), (Faults{{TilingFault::kOverlap, {"a", "b"}, 2}}));
  overlap[1].range.start = "";
  overlap[1].tablet_epoch = overlap[0].tablet_epoch + 1;
  EXPECT_EQ(CheckTiling(overlap), (Faults{{TilingFault::kUnfinishedMerge, {"", "b"}, 1}}));

  std::vector<TabletRecord> split = Tiled({"b", ""});
  split[1].split = SplitRecord{};
  EXPECT_EQ(CheckTiling(split), (Faults{{TilingFault::kUnfinishedSplit, {"b", ""}, 2}}));
}

}  // namespace
}  // namespace sippar::cluster
