// Work on the tablets of a table: all servers at once, each in key order; tablets that move, split
// or are missing meanwhile; the choice of the error; a server that hangs.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/table_work.h"

#include <algorithm>
#include <atomic>

#include "tests/cluster/client/fake_servers.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster::master {
namespace {

using Texts = std::vector<std::string>;

const ServerId kA{"a", 1}, kB{"b", 1}, kC{"c", 1};

class TableWorkTest : public testing::Test {
 protected:
  // Six tablets from "" to "f" and on, with the ids 1 to 6, of the servers a, b and c in turn.
  TableWorkTest() {
    const Texts starts = {"", "b", "c", "d", "e", "f"};
    const std::vector<ServerId> servers = {kA, kB, kC};
    for (uint64_t i = 0; i < starts.size(); ++i) {
      const std::string limit = i + 1 < starts.size() ? starts[i + 1] : "";
      places_.push_back({i + 1, {starts[i], limit}, servers[i % 3], 1});
      servers_.members[servers[i % 3]].tablets.insert(i + 1);
    }
  }

  StatusOr<std::vector<TabletPlace>> FindPlaces(const std::vector<RowRange>& rows) {
    const int count = ++look_ups_;
    if (on_look_up_) on_look_up_(count);
    engine::MutexLock lock(&mutex_);
    std::vector<TabletPlace> found;
    for (const TabletPlace& place : places_) {
      if (!RowsWithin(rows, place.range).empty()) found.push_back(place);
    }
    return found;
  }
  Status Flush(const std::vector<RowRange>& rows = {RowRange::All()}, int64_t timeout_us = 0) {
    CallOptions options;
    options.timeout_us = timeout_us;
    const CallTime time(engine::Clock::System(), options);
    return work_.OnTablets("t", rows, time, [&](TabletControl* control, const TabletPlace& place) {
      return control->Do(calls::FlushTablet{place.tablet_id}, time.Left());
    });
  }
  StatusOr<std::vector<uint64_t>> Figures(int64_t timeout_us = 0) {
    CallOptions options;
    options.timeout_us = timeout_us;
    ASSIGN_OR_RETURN(auto tablets, work_.Figures("t", CallTime(engine::Clock::System(), options)));
    std::vector<uint64_t> bytes;
    for (const auto& groups : tablets) bytes.push_back(groups.front().stored_bytes);
    return bytes;
  }
  // What the servers and the master know changes when the first call reaches `server`.
  void OnFirstCall(const ServerId& server, const std::function<void()>& change) {
    servers_.members[server].before_call = [this, change] {
      if (!has_changed_.exchange(true)) change();
    };
  }

  FakeServers servers_;
  engine::ManualClock clock_{kSecond};  // of the waits between two look-ups
  engine::Mutex mutex_;
  std::vector<TabletPlace> places_ GUARDED_BY(mutex_);
  std::atomic<int> look_ups_{0};
  std::function<void(int count)> on_look_up_;  // may be empty
  std::atomic<bool> has_changed_{false};
  TableWork work_{&servers_, &clock_,
                  [this](const std::string&, const auto& rows) { return FindPlaces(rows); }};
};

TEST_F(TableWorkTest, EachServerWorksInKeyOrderAndAllAtOnce) {
  // The server of the first tablet begins only after the others have done everything.
  servers_.members[kA].before_call = [this] {
    for (const ServerId& other : {kB, kC}) EXPECT_TRUE(servers_.Await(other, 2));
  };
  EXPECT_OK(Flush());
  EXPECT_EQ(servers_.CallsTo(kA), (Texts{"FlushTablet 1", "FlushTablet 4"}));
  EXPECT_EQ(servers_.CallsTo(kB), (Texts{"FlushTablet 2", "FlushTablet 5"}));
  EXPECT_EQ(servers_.CallsTo(kC), (Texts{"FlushTablet 3", "FlushTablet 6"}));
  EXPECT_EQ(look_ups_, 1);
}

TEST_F(TableWorkTest, OnlyTabletsWithTheRowsAreCalled) {
  EXPECT_OK(Flush({{"bb", "bc"}, {"bd", "be"}, {"f", ""}}));
  EXPECT_TRUE(servers_.CallsTo(kA).empty());
  EXPECT_EQ(servers_.CallsTo(kB), Texts{"FlushTablet 2"});
  EXPECT_EQ(servers_.CallsTo(kC), Texts{"FlushTablet 6"});
}

TEST_F(TableWorkTest, TheFirstErrorInKeyOrderIsReturnedAndTheWorkGoesOn) {
  servers_.members[kB].failures = {{2, DataLoss("tablet 2 is damaged")},
                                   {5, DataLoss("tablet 5 is damaged")}};
  servers_.members[kC].failures = {{3, DiskFull("tablet 3 has no space")}};
  const Status failed = Flush();
  EXPECT_EQ(failed.code(), StatusCode::kDataLoss);
  EXPECT_EQ(MessageOf(failed),
            "tablet 2 is damaged (other tablets that failed: 2, that were not tried: 0)");
  EXPECT_EQ(servers_.CallCount(), 6u);
}

TEST_F(TableWorkTest, AServerThatHangsIsNamedAndTakesNoTimeOfTheOthers) {
  servers_.members[kA].hangs = true;
  const Status failed = Flush({RowRange::All()}, kSecond / 4);
  EXPECT_EQ(failed.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(MessageOf(failed).find("server a.1, tablet 1: no answer"), std::string_view::npos)
      << failed;
  EXPECT_NE(MessageOf(failed).find("not tried: 1"), std::string_view::npos) << failed;
  EXPECT_EQ(servers_.CallsTo(kA).size(), 1u);
  EXPECT_EQ(servers_.CallsTo(kB).size(), 2u);
  EXPECT_EQ(servers_.CallsTo(kC).size(), 2u);
}

TEST_F(TableWorkTest, AServerThatHasEndedGetsNoFurtherCallAfterItsTabletWasLookedUpFor10s) {
  servers_.members[kB].has_ended = true;
  const int64_t begun_us = clock_.NowMicros();
  const Status failed = Flush();
  EXPECT_EQ(failed.code(), StatusCode::kUnavailable);
  EXPECT_NE(MessageOf(failed).find("server b.1, tablet 2: no answer"), std::string_view::npos)
      << failed;
  EXPECT_NEAR(static_cast<double>(clock_.NowMicros() - begun_us), 10e6, 1e6);
  for (const std::string& call : servers_.CallsTo(kB)) EXPECT_EQ(call, "FlushTablet 2");
  EXPECT_EQ(servers_.CallsTo(kC).size(), 2u);
}

TEST_F(TableWorkTest, ATabletThatHasMovedIsLookedUpAgain) {
  OnFirstCall(kA, [this] {
    servers_.members[kA].tablets.erase(4);
    servers_.members[kB].tablets.insert(4);
    engine::MutexLock lock(&mutex_);
    places_[3].server = kB;
  });
  // b waits, so that no call reads its tablets while the test changes them.
  servers_.members[kB].before_call = [this] { EXPECT_TRUE(servers_.Await(kA, 2)); };
  EXPECT_OK(Flush());
  const Texts to_b = servers_.CallsTo(kB);
  EXPECT_EQ(std::count(to_b.begin(), to_b.end(), "FlushTablet 4"), 1);
}

TEST_F(TableWorkTest, ATabletThatWasSplitMeanwhileIsDoneInParts) {
  servers_.members[kC].tablets = {6, 31, 32};  // no longer tablet 3
  OnFirstCall(kC, [this] {
    engine::MutexLock lock(&mutex_);
    places_[2] = {31, {"c", "cm"}, kC, 1};
    places_.insert(places_.begin() + 3, {32, {"cm", "d"}, kC, 1});
  });
  EXPECT_OK(Flush());
  EXPECT_EQ(servers_.CallsTo(kC),
            (Texts{"FlushTablet 3", "FlushTablet 31", "FlushTablet 32", "FlushTablet 6"}));
}

TEST_F(TableWorkTest, AHoleInWhatTheMasterKnowsIsWaitedFor) {
  TabletPlace hidden;
  {
    engine::MutexLock lock(&mutex_);
    hidden = places_[2];
    places_.erase(places_.begin() + 2);
  }
  on_look_up_ = [this, hidden](int count) {
    engine::MutexLock lock(&mutex_);
    if (count == 5) places_.insert(places_.begin() + 2, hidden);
  };
  EXPECT_OK(Flush());
  const Texts to_c = servers_.CallsTo(kC);
  EXPECT_EQ(std::count(to_c.begin(), to_c.end(), "FlushTablet 3"), 1);
  EXPECT_EQ(look_ups_, 5);
}

TEST_F(TableWorkTest, FiguresNeedOneCallToAServerAndAreInKeyOrder) {
  auto bytes = Figures();
  ASSERT_TRUE(IsOk(bytes));
  EXPECT_EQ(*bytes, (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(servers_.CallCount(), 3u);
}

TEST_F(TableWorkTest, FiguresOfATabletThatHasMovedAreAskedForAgain) {
  servers_.members[kA].tablets.erase(4);
  servers_.members[kB].tablets.insert(4);
  OnFirstCall(kA, [this] {
    engine::MutexLock lock(&mutex_);
    places_[3].server = kB;
  });
  auto bytes = Figures();
  ASSERT_TRUE(IsOk(bytes));
  EXPECT_EQ(*bytes, (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(servers_.CallsTo(kB).back(), "TabletStats 4");
}

TEST_F(TableWorkTest, FiguresWithoutAServersAnswerNameTheServer) {
  servers_.members[kB].hangs = true;
  const Status failed = Figures(kSecond).status();
  EXPECT_EQ(failed.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(MessageOf(failed).find("server b.1: it did not answer in time"), std::string_view::npos)
      << failed;
}

TEST(TabletPlaces, RowsThatNoTabletHasBecomePlacesWithoutAServer) {
  const std::vector<RowRange> rows = {{"a", "k"}, {"p", ""}};
  const std::vector<TabletPlace> places =
      WithHoles(rows, {{1, {"b", "d"}, kA, 1}, {2, {"d", "f"}, kB, 1}, {3, {"q", "t"}, kA, 1}});
  const std::vector<RowRange> ranges = {{"a", "b"}, {"b", "d"}, {"d", "f"}, {"f", "k"},
                                        {"p", "q"}, {"q", "t"}, {"t", ""}};
  ASSERT_EQ(places.size(), ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(places[i].range, ranges[i]);
    EXPECT_EQ(places[i].server.IsNone(), places[i].tablet_id == 0);
  }
  EXPECT_EQ(RowsWithin(rows, {"j", "q"}), (std::vector<RowRange>{{"j", "k"}, {"p", "q"}}));
}

}  // namespace
}  // namespace sippar::cluster::master
