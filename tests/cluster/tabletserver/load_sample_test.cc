// Tests the choice of the row at which a busy tablet is split.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/load_sample.h"

#include "tests/cluster/tabletserver/server_world.h"

namespace sippar::cluster {
namespace {

using LoadSampleTest = ServerWorld;

TEST_F(LoadSampleTest, ASplitByLoadIsWhereTheCallsAreHalved) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  auto control = server->Control();
  EXPECT_CODE(control->Do(calls::SplitByLoad{kMaster, record.tablet_id}),
              StatusCode::kFailedPrecondition);
  EXPECT_CODE(control->Do(calls::SplitByLoad{kMaster - 1, record.tablet_id}), StatusCode::kAborted);
  EXPECT_OK(Put(server.get(), record, "x", "only one row"));
  auto read = [&](const char* row) {
    ReadSpec point;
    point.rows = engine::RowSet(engine::RowRange::Single(row));
    EXPECT_OK(server->Tablets()->Read({record.tablet_id, record.tablet_epoch}, point, {}));
  };
  for (size_t i = 0; i < 64 * LoadSample::kEvery; ++i) read("x");
  EXPECT_CODE(control->Do(calls::SplitByLoad{kMaster, record.tablet_id}),
              StatusCode::kFailedPrecondition);
  for (size_t i = 0; i < 64 * LoadSample::kEvery; ++i) read("y");
  EXPECT_OK(control->Do(calls::SplitByLoad{kMaster, record.tablet_id}));
  ASSERT_EQ(Records().size(), 2u);
  EXPECT_EQ(Records()[1].range.start, "y");
  EXPECT_EQ(All(server.get()), "x=only one row");
}

TEST(LoadMiddleTest, ARowForASplitByLoadHasAQuarterOfTheCallsOnEachSideAtLeast) {
  auto cut = [](std::vector<std::pair<std::string, size_t>> counts) {
    std::vector<std::string> rows;
    for (const auto& [row, count] : counts) rows.insert(rows.end(), count, row);
    return ChooseLoadMiddle(std::move(rows)).value_or("none");
  };
  EXPECT_EQ(cut({}), "none");
  EXPECT_EQ(cut({{"a", 7}, {"b", 8}}), "none");  // too few samples to decide
  EXPECT_EQ(cut({{"a", 100}}), "none");
  EXPECT_EQ(cut({{"b", 50}, {"a", 50}}), "b");
  EXPECT_EQ(cut({{"a", 10}, {"b", 80}, {"c", 10}}), "none");
  EXPECT_EQ(cut({{"a", 30}, {"b", 60}, {"c", 10}}), "b");
  EXPECT_EQ(cut({{"a", 10}, {"b", 65}, {"c", 25}}), "c");
  EXPECT_EQ(cut({{"a", 26}, {"b", 25}, {"c", 25}, {"d", 24}}), "c");
}

}  // namespace
}  // namespace sippar::cluster
