// N1: the network between the master and some servers breaks and is mended, while the lock service
// reaches all of them. Random cuts; the world is that of the master's other tests, but calls take
// time, so that servers fall silent and answer again one after the other.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "cluster/master/decide/cluster_health.h"
#include "world.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kStepUs = 100'000;
constexpr uint64_t kCallUs = 50'000;          // longest time of a call that is answered
constexpr uint64_t kConnectUs = 5 * kSecond;  // longest time until a call gets no answer
constexpr uint64_t kNearUs = 3 * kSecond;     // a cable is cut for all servers within this time
// Time from the cut until the removal: the next question follows 10 s after the one before, its
// failure is noticed after kConnectUs, and the silence lasts 15 s; all calls of a removal are
// short.
constexpr int64_t kRemovedUs = 31 * kSecond;
constexpr int64_t kLoneUs = 300 * kSecond;

class Partition {
 public:
  Partition(uint64_t seed, size_t servers) : random_(seed) {
    for (size_t i = 0; i < servers; ++i) world_.AddServer("s" + std::to_string(i));
    state_.options.root_limit = World::kRootLimit;
    state_.random = engine::Random(seed);
    const uint64_t epoch = world_.NextEpoch();
    world_.TakeMasterLock(epoch);
    Feed(event::LockTaken{epoch});
    Pass(5 * kSecond);
    TableSchema schema;
    schema.name = "web";
    schema.families.push_back({"f", {}, {}});
    schema.Normalize();
    std::vector<std::string> keys;
    for (size_t i = 1; i < 4 * servers; ++i)
      keys.push_back(std::string(1, static_cast<char>('a' + i)));
    Feed(event::CreateTable{1, schema, keys, 0});
    Pass(15 * kSecond + static_cast<int64_t>(random_.Uniform(10 * kSecond)));
  }

  // Cuts the first `count` servers off from the master for `micros`. `drops`: soon after the cut an
  // administrator drops the table, so calls about tablets wait for answers of these servers.
  void Cut(size_t count, int64_t micros, bool drops = false) {
    const int64_t begin_us = now_us_;
    for (size_t i = 0; i < count; ++i) {
      WorldServer* server = world_.Newest("s" + std::to_string(i));
      cut_.insert(server->id);
      changes_.emplace(begin_us + Near(), std::pair(server->id, true));
      changes_.emplace(begin_us + static_cast<int64_t>(kNearUs) + micros + Near(),
                       std::pair(server->id, false));
    }
    Pass(static_cast<int64_t>(kNearUs));
    if (drops) Feed(event::DropTable{2, "web", 0, now_us_});
    Pass(micros + static_cast<int64_t>(kNearUs));
  }
  // A process of the same name starts, which the master cannot reach, either.
  ServerId Restart(const ServerId& id) {
    WorldServer* next = world_.AddServer(id.name);
    next->cut = true;
    return next->id;
  }
  void Heal(const ServerId& id) { world_.servers[id].cut = false; }
  // State that the status names, and how many tablets have a record with this server.
  std::string StateOf(const ServerId& id) const {
    for (const ServerStatus& server : HealthOf(state_, now_us_).servers) {
      if (server.id == id) return server.state + (server.tablets > 0 ? " with tablets" : "");
    }
    return "not known";
  }
  void Pass(int64_t micros) {
    for (const int64_t end_us = now_us_ + micros; now_us_ < end_us;) {
      now_us_ += kStepUs;
      Change();
      while (!calls_.empty() && calls_.begin()->first <= now_us_) {
        Action action = std::move(calls_.extract(calls_.begin()).mapped());
        Feed(world_.CarryOut(state_.epoch, action));
        Note();
      }
      Feed(event::Tick{now_us_});
    }
  }

  // Time from its cut to its removal, of each server that was removed.
  const std::map<ServerId, int64_t>& removed() const { return removed_; }
  const std::set<ServerId>& cut() const { return cut_; }
  std::string Wrong() const { return world_.CheckAlways() + world_.CheckSettled(); }

 private:
  int64_t Near() { return static_cast<int64_t>(random_.Uniform(kNearUs)); }

  void Change() {
    while (!changes_.empty() && changes_.begin()->first <= now_us_) {
      const auto [id, is_cut] = changes_.extract(changes_.begin()).mapped();
      world_.servers[id].cut = is_cut;
      if (is_cut) cut_us_[id] = now_us_;
    }
  }

  void Feed(const Event& event) {
    for (Action& action : Step(&state_, event, now_us_)) {
      if (action.op == 0) continue;
      const auto* asked = std::get_if<action::AskServer>(&action.body);
      const bool is_cut = asked != nullptr && world_.servers[asked->server].cut;
      const uint64_t takes_us = random_.Uniform(is_cut ? kConnectUs : kCallUs);
      calls_.emplace(now_us_ + static_cast<int64_t>(takes_us), std::move(action));
    }
  }

  void Note() {
    for (const auto& [id, server] : world_.servers) {
      if (!server.file) removed_.emplace(id, now_us_ - cut_us_[id]);
    }
  }

  World world_;
  MasterState state_;
  engine::Random random_;
  int64_t now_us_ = kSecond;
  std::multimap<int64_t, Action> calls_;  // by the time of their answer
  std::multimap<int64_t, std::pair<ServerId, bool>> changes_;
  std::set<ServerId> cut_;
  std::map<ServerId, int64_t> cut_us_;
  std::map<ServerId, int64_t> removed_;
};

// Runs `look` for clusters of 1 to 7 servers of which 1 to all are cut off, several times.
template <class Look>
void ForAllCuts(const Look& look) {
  for (size_t servers = 1; servers <= 7; ++servers) {
    for (size_t cut = 1; cut <= servers; ++cut) {
      for (uint64_t round = 0; round < 4; ++round) {
        SCOPED_TRACE(testing::Message() << cut << " of " << servers << " cut off, round " << round);
        look(servers, cut, servers * 1000 + cut * 100 + round);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(MasterSilence, AServerThatIsCutOffIsReplacedWithinHalfAMinuteIfMostOthersAnswer) {
  ForAllCuts([](size_t servers, size_t cut, uint64_t seed) {
    if (2 * (servers - cut) <= servers) return;
    Partition partition(seed, servers);
    partition.Cut(cut, 40 * kSecond, /*drops=*/seed % 2 == 0);
    ASSERT_EQ(partition.removed().size(), cut);
    for (const auto& [id, after_us] : partition.removed()) {
      EXPECT_TRUE(partition.cut().contains(id)) << id.ToString();
      EXPECT_LE(after_us, kRemovedUs) << id.ToString();
    }
    partition.Pass(20 * kSecond);
    EXPECT_EQ(partition.Wrong(), "");
  });
}

TEST(MasterSilence, AMasterThatReachesNoMajorityRemovesNoServerWithinFiveMinutes) {
  ForAllCuts([](size_t servers, size_t cut, uint64_t seed) {
    if (2 * (servers - cut) > servers) return;
    Partition partition(seed, servers);
    partition.Cut(cut, kLoneUs - 20 * kSecond, /*drops=*/seed % 2 == 0);
    partition.Pass(60 * kSecond);
    EXPECT_TRUE(partition.removed().empty());
    EXPECT_EQ(partition.Wrong(), "");
  });
}

TEST(MasterSilence, AfterFiveMinutesOneServerThatAnswersIsEnough) {
  ForAllCuts([](size_t servers, size_t cut, uint64_t seed) {
    if (2 * (servers - cut) > servers) return;
    Partition partition(seed, servers);
    partition.Cut(cut, kLoneUs + 20 * kSecond);
    partition.Pass(60 * kSecond);
    // If none answers, none could take the tablets over.
    EXPECT_EQ(partition.removed().size(), cut == servers ? 0 : cut);
    EXPECT_EQ(partition.Wrong(), "");
  });
}

TEST(MasterSilence, TheNextLifeGetsNoTabletBeforeItAnswers) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Partition partition(seed, 3);
    partition.Cut(1, 40 * kSecond);
    const ServerId life = *partition.cut().begin();
    ASSERT_EQ(partition.removed().size(), 1u);
    const ServerId next = partition.Restart(life);
    for (int i = 0; i < 60; ++i) {
      partition.Pass(kSecond);
      ASSERT_TRUE(partition.StateOf(next) != "live with tablets" &&
                  partition.StateOf(next) != "silent with tablets")
          << i;
    }
    EXPECT_EQ(partition.StateOf(next), "silent");
    EXPECT_EQ(partition.removed().size(), 1u);  // without tablets it is in nobody's way
    partition.Heal(next);
    partition.Pass(60 * kSecond);
    EXPECT_EQ(partition.StateOf(next), "live with tablets");
    EXPECT_EQ(partition.Wrong(), "");
  }
}

TEST(MasterSilence, AServerThatAnswersAgainAfterTenSecondsStays) {
  ForAllCuts([](size_t servers, size_t cut, uint64_t seed) {
    Partition partition(seed, servers);
    partition.Cut(cut, 4 * kSecond);
    partition.Pass(60 * kSecond);
    EXPECT_TRUE(partition.removed().empty());
  });
}

}  // namespace
}  // namespace sippar::cluster::master
