// Clocks that jump, and timestamps that clients set.
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/faults/fault_rows.h"

namespace sippar::engine {
namespace {

using testing::ElementsAre;

constexpr int64_t kHourUs = 3'600'000'000;
constexpr int64_t kYear2262Us = 9'214'646'400'000'000;

class ClockRows : public FaultRows {
 protected:
  ClockRows() { clock_.Set(100 * kHourUs); }

  void CreateWith(const GcPolicy& policy) {
    Open();
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"f", FamilyType::kBytes, policy}};
    Status status = store_->CreateTable(schema, {});
    ASSERT_TRUE(status.ok()) << status;
  }
  void Write(const RowMutation& mutation) {
    Status status = store_->Apply("t", {&mutation}).front();
    ASSERT_TRUE(status.ok()) << status;
  }
  void Put(const std::string& value) { Write(RowMutation("r").Set("f", "q", value)); }
  void PutAt(const std::string& value, int64_t time_us) {
    Write(RowMutation("r").Set("f", "q", value, time_us));
  }
  void Advance(int64_t micros) { clock_.Set(clock_.NowMicros() + micros); }

  // Values with the newest first: all versions, or at most `versions`.
  std::vector<std::string> Values(uint32_t versions = 0) {
    ReadSpec read;
    read.versions_per_column = versions;
    auto cells = (*store_->FindTablet("t", "r"))->Read(read);
    EXPECT_TRUE(cells.ok()) << cells.status();
    std::vector<std::string> values;
    for (; (*cells)->Valid(); (*cells)->Next()) values.emplace_back((*cells)->cell().value);
    return values;
  }
};

TEST_F(ClockRows, C1_AfterTwoHoursTooFarTheServersTimesGoOnFromThere) {
  CreateWith(GcPolicy::KeepAll());
  Put("1");
  Advance(2 * kHourUs);
  Put("2");
  Advance(-2 * kHourUs);
  Put("3");
  Put("4");
  EXPECT_THAT(Values(), ElementsAre("4", "3", "2", "1"));
}

// The last timestamp is kept first in the log, then in the tablet's state.
TEST_F(ClockRows, C2_AStepBackIsOutlivedByTheLastTime) {
  CreateWith(GcPolicy::KeepAll());
  Put("1");
  Advance(-kHourUs);
  Open();
  Put("2");
  ASSERT_TRUE(store_->Flush("t").ok());
  Advance(-kHourUs);
  Open();
  Put("3");
  EXPECT_THAT(Values(), ElementsAre("3", "2", "1"));
}

TEST_F(ClockRows, C4_ATimeOfTheFarFutureStaysNewestAndCanBeFoundAndDeleted) {
  CreateWith(GcPolicy::KeepAll());
  PutAt("future", kYear2262Us);
  Put("now");
  EXPECT_THAT(Values(1), ElementsAre("future"));
  EXPECT_THAT(Values(), ElementsAre("future", "now")) << "the server's time is not dragged along";
  Write(RowMutation("r").DeleteColumn("f", "q", {clock_.NowMicros() + kHourUs, INT64_MAX}));
  EXPECT_THAT(Values(1), ElementsAre("now"));
}

TEST_F(ClockRows, C7_AnAgeIsWrongByTheClocksErrorAndNoMore) {
  CreateWith(GcPolicy::MaxAge(kHourUs));
  PutAt("old", clock_.NowMicros());
  PutAt("future", clock_.NowMicros() + kHourUs);
  Advance(kHourUs - 10'000'000);
  EXPECT_THAT(Values(), ElementsAre("future", "old"));
  Advance(11'000'000);  // the clock is 11 s ahead for a moment
  EXPECT_THAT(Values(), ElementsAre("future")) << "early by at most as much";
  Advance(-11'000'000);
  EXPECT_THAT(Values(), ElementsAre("future", "old")) << "no compaction came in between";
  Advance(-3 * kHourUs);
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  EXPECT_THAT(Values(), ElementsAre("future", "old")) << "what is not yet has no age";
}

}  // namespace
}  // namespace sippar::engine
