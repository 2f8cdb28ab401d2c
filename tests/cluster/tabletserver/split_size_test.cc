// Tests splits of tablets that have grown too large.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"
#include "engine/tablet/tablet.h"
#include "tests/cluster/tabletserver/server_world.h"

namespace sippar::cluster {
namespace {

class SplitSizeTest : public ServerWorld {
 protected:
  uint64_t StoredBytes(TabletServer* server, const TabletRecord& record) {
    return server->host()->Find(record.tablet_id)->stored_bytes();
  }
  void SetSplitSize(TabletServer* server, uint64_t bytes) {
    table_.schema.options["SPLIT_SIZE"] = std::to_string(bytes);
    ++table_.schema_version;
    EXPECT_OK(server->Control()->Do(calls::SetSchema{kMaster, table_}));
  }
};

TEST_F(SplitSizeTest, ATabletAboveItsSizeIsSplitInTheMiddle) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  std::string noise;
  engine::Random random(3);
  for (int i = 0; i < 1000; ++i) noise.push_back(static_cast<char>(random.Uniform(256)));
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(Put(server.get(), record, fmt::format("{:05}", i), noise + std::to_string(i)).ok());
  }
  EXPECT_OK(server->Control()->Do(calls::FlushTablet{record.tablet_id}));
  EXPECT_FALSE(server->Reshape());
  std::string before = All(server.get());
  uint64_t stored = StoredBytes(server.get(), record);
  SetSplitSize(server.get(), stored * 2 / 3);
  EXPECT_TRUE(server->Reshape());
  EXPECT_FALSE(server->Reshape()) << "the halves are small enough";
  std::vector<TabletRecord> halves = Records();
  ASSERT_EQ(halves.size(), 2u);
  EXPECT_GT(StoredBytes(server.get(), halves[0]), stored * 4 / 10);
  EXPECT_GT(StoredBytes(server.get(), halves[1]), stored * 4 / 10);
  EXPECT_EQ(All(server.get()), before);
}

TEST_F(SplitSizeTest, OneRowIsNeverCut) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  for (int i = 0; i < 300; ++i) {
    RowMutation mutation("only");
    mutation.Set("f", std::to_string(i), std::string(1000, 'v'), 5);
    const RowMutation* only = &mutation;
    EXPECT_OK(OnlyPart(server->Tablets()->Do(
        calls::ApplyRows<TabletAddress>{{record.tablet_id, record.tablet_epoch}, {&only, 1}})));
  }
  SetSplitSize(server.get(), 100);
  EXPECT_OK(server->Control()->Do(calls::FlushTablet{record.tablet_id}));
  EXPECT_FALSE(server->Reshape());
  EXPECT_EQ(Records().size(), 1u);
}

}  // namespace
}  // namespace sippar::cluster
