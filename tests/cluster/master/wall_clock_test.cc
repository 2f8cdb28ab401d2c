// Which jumps of the wall clock make a master doubt it, and for how long.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/wall_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sippar::cluster::master {
namespace {

using testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kHour = 3600 * kSecond;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kYear = 365 * kDay;
constexpr int64_t kWall = 50 * kYear;

// A master that ticks once a minute. Its monotonic clock begins at another time than its wall
// clock.
class Master {
 public:
  explicit Master(int64_t noted_us, int64_t wall_us = kWall) : wall_us_(wall_us) {
    Pass(0);
    clock_.Learn(noted_us, now_us_);
  }
  void Jump(int64_t micros) {
    wall_us_ += micros;
    Pass(0);
  }
  void Pass(int64_t micros) {
    const int64_t end_us = now_us_ + micros;
    clock_.Tick(wall_us_, now_us_);
    while (now_us_ < end_us) {
      now_us_ += 60 * kSecond;
      wall_us_ += 60 * kSecond;
      clock_.Tick(wall_us_, now_us_);
    }
  }
  std::string Doubt(const std::vector<int64_t>& skews_us = {0}) const {
    return clock_.WhyDoubted(skews_us);
  }
  int64_t Best() const { return clock_.BestMicros(now_us_); }
  int64_t ToNote() const { return clock_.ToNote(now_us_); }
  int64_t wall_us() const { return wall_us_; }

 private:
  WallClock clock_;
  int64_t now_us_ = 5 * kHour;
  int64_t wall_us_;
};

TEST(WallClockTest, NothingIsBelievedBeforeTheNoteIsRead) {
  WallClock clock;
  clock.Tick(kWall, kHour);
  EXPECT_NE(clock.WhyDoubted({0}), "");
  EXPECT_EQ(clock.ToNote(kHour), 0);
  clock.Learn(0, kHour);
  EXPECT_EQ(clock.WhyDoubted({0}), "");
  EXPECT_EQ(clock.ToNote(kHour), kWall);
}

TEST(WallClockTest, C1_AJumpOfAYearIsDoubtedUntilItIsMendedOrHasLastedADay) {
  for (const int64_t jump : {kYear, -kYear, 2 * kHour, -2 * kHour}) {
    Master master(kWall - kHour);
    EXPECT_EQ(master.Doubt(), "");
    const int64_t before_us = master.Best();
    master.Jump(jump);
    EXPECT_THAT(master.Doubt(), HasSubstr("has jumped by"));
    EXPECT_EQ(master.Best(), before_us);  // what goes to the trash now gets the right time
    EXPECT_EQ(master.ToNote(), 0);        // the next master does not believe the clock, either
    master.Pass(23 * kHour);
    EXPECT_NE(master.Doubt(), "");
    master.Jump(-jump);
    EXPECT_EQ(master.Doubt(), "");
    EXPECT_EQ(master.Best(), master.wall_us());
    master.Jump(jump);
    master.Pass(kDay);
    EXPECT_EQ(master.Doubt(), "");
    EXPECT_EQ(master.ToNote(), master.wall_us());
  }
}

TEST(WallClockTest, SmallStepsAreCorrections) {
  Master master(kWall);
  for (int i = 0; i < 5; ++i) master.Jump(i % 2 == 0 ? 20 * kSecond : 10 * kSecond);
  EXPECT_EQ(master.Doubt(), "");
  EXPECT_EQ(master.Best(), master.wall_us());
}

TEST(WallClockTest, C1_ANewMasterComparesItsClockWithTheNote) {
  EXPECT_EQ(Master(kWall).Doubt(), "");
  EXPECT_EQ(Master(kWall - 29 * kDay).Doubt(), "");  // the cluster has rested
  EXPECT_EQ(Master(kWall + 20 * kSecond).Doubt(), "");
  EXPECT_THAT(Master(kWall - kYear).Doubt(),
              HasSubstr("compared with the time that a master noted"));
  Master behind(kWall, kWall - kYear);
  EXPECT_THAT(behind.Doubt(), HasSubstr("-31536000 s"));
  EXPECT_EQ(behind.Best(), kWall);  // not a year ago: the trash would be over at once
  behind.Jump(kYear);
  EXPECT_EQ(behind.Doubt(), "");
  Master ahead(kWall - kYear);
  ahead.Pass(kDay);
  EXPECT_EQ(ahead.Doubt(), "");  // it was the cluster that rested for a year
}

TEST(WallClockTest, C1_MostServersMustAgree) {
  const Master master(kWall);
  EXPECT_EQ(master.Doubt({}), "");  // no server has told its time
  EXPECT_EQ(master.Doubt({0, -29 * kSecond, kYear}), "");
  EXPECT_THAT(master.Doubt({0, kYear}), HasSubstr("the clocks of 1 of 2 servers"));
  EXPECT_THAT(master.Doubt({-kYear}), HasSubstr("by more than 30 s"));
}

TEST(WallClockTest, ANoteIsMadeOnceAnHour) {
  Master master(kWall);
  master.Pass(kHour - 60 * kSecond);
  EXPECT_EQ(master.ToNote(), 0);
  master.Pass(60 * kSecond);
  EXPECT_EQ(master.ToNote(), kWall + kHour);
}

}  // namespace
}  // namespace sippar::cluster::master
