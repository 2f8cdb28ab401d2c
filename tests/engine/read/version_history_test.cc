// Garbage-collection rules act at once: the replay is compared with a direct simulation, on random
// histories.
// SPDX-License-Identifier: Apache-2.0
#include "engine/read/version_history.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/base/random.h"

namespace sippar::engine {
namespace {

struct Event {
  bool is_put = true;
  int64_t time_us = 0;  // timestamp of a put
  TimeRange range;      // range of a delete
  int64_t wall_us = 0;
};

// Applies the rule after every event, as the definition says.
std::vector<Version> Simulate(const std::vector<Event>& events, const GcPolicy& policy,
                              int64_t now_us) {
  std::map<int64_t, uint64_t, std::greater<>> live;
  auto collect = [&](int64_t wall_us) {
    uint64_t rank = 0;
    for (auto it = live.begin(); it != live.end();) {
      it = policy.MayDrop(++rank, it->first, wall_us) ? live.erase(it) : std::next(it);
    }
  };
  uint64_t sequence = 0;
  for (const Event& event : events) {
    ++sequence;
    collect(event.wall_us);
    if (event.is_put) {
      live[event.time_us] = sequence;
    } else {
      std::erase_if(live, [&](const auto& v) { return event.range.Contains(v.first); });
    }
    collect(event.wall_us);
  }
  collect(now_us);
  std::vector<Version> survivors;
  for (auto [time, seq] : live) survivors.push_back({time, seq});
  return survivors;
}

TEST(VersionHistory, ReplayEqualsApplyingTheRuleAfterEveryMutation) {
  std::vector<GcPolicy> policies = {
      GcPolicy::KeepAll(),
      GcPolicy::MaxVersions(1),
      GcPolicy::MaxVersions(3),
      GcPolicy::MaxAge(6),
      GcPolicy::Union({GcPolicy::MaxVersions(2), GcPolicy::MaxAge(8)}),
      GcPolicy::Intersection({GcPolicy::MaxVersions(2), GcPolicy::MaxAge(5)})};
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    const GcPolicy& policy = policies[random.Uniform(policies.size())];
    std::vector<Event> events;
    std::vector<Version> puts;
    std::vector<RangeDelete> deletes;
    int64_t wall_us = 10;
    for (uint64_t i = 1 + random.Uniform(12), sequence = 1; i > 0; --i, ++sequence) {
      Event& event = events.emplace_back();
      event.wall_us = wall_us += static_cast<int64_t>(random.Uniform(3));
      event.is_put = !random.OneIn(3);
      if (event.is_put) {
        event.time_us = 5 + static_cast<int64_t>(random.Uniform(12));
        puts.push_back({event.time_us, sequence});
      } else {
        auto a = static_cast<int64_t>(5 + random.Uniform(12));
        auto b = static_cast<int64_t>(5 + random.Uniform(12));
        event.range = {std::min(a, b), random.OneIn(5) ? kTimeMax : std::max(a, b) + 1};
        deletes.push_back({sequence, {event.range, event.wall_us}});
      }
    }
    int64_t now_us = wall_us + static_cast<int64_t>(random.Uniform(4));
    EXPECT_EQ(ReplayVersions(puts, deletes, {policy}, now_us), Simulate(events, policy, now_us))
        << "round " << round << " rule " << policy.Print();
  }
}

TEST(VersionHistory, DeletingTheNewestBringsNoOlderOneBack) {
  // VERSIONS 1: t9 is written, so t5 is hidden at once; then t9 is deleted. A later write at t3 is
  // visible.
  std::vector<Version> puts = {{9, 1}, {5, 2}, {3, 4}};
  std::vector<RangeDelete> deletes = {{3, {{9, 10}, 0}}};
  EXPECT_EQ(ReplayVersions(puts, deletes, {GcPolicy::MaxVersions(1)}, 0),
            (std::vector<Version>{{3, 4}}));
}

TEST(VersionHistory, ADeleteActsOnWhatTheRuleOfItsTimeHadLeft) {
  std::vector<Version> puts = {{5, 1}, {9, 2}, {6, 4}, {8, 5}};
  std::vector<RangeDelete> deletes = {{3, {{9, 10}, 0}}, {6, {{8, 9}, 0}}};
  FamilyRule rule{GcPolicy::MaxVersions(1)};
  EXPECT_EQ(ReplayVersions(puts, deletes, rule, 0), std::vector<Version>());
  // The first delete was made while every version was kept, so 5 lived on; 8 hid it and 6.
  rule.before = {{4, GcPolicy::KeepAll()}};
  EXPECT_EQ(ReplayVersions({{5, 1}, {9, 2}}, {deletes[0]}, rule, 0),
            (std::vector<Version>{{5, 1}}));
  EXPECT_EQ(ReplayVersions(puts, deletes, rule, 0), std::vector<Version>());
  // Both deletes were, so 6 is left for the rule of today.
  rule.before = {{7, GcPolicy::KeepAll()}};
  EXPECT_EQ(ReplayVersions(puts, deletes, rule, 0), (std::vector<Version>{{6, 4}}));
  // The first rule kept two versions, the second one, and the rule of today keeps all.
  rule = {GcPolicy::KeepAll(), 0, {{4, GcPolicy::MaxVersions(2)}, {7, GcPolicy::MaxVersions(1)}}};
  EXPECT_EQ(ReplayVersions(puts, deletes, rule, 0), std::vector<Version>());
  rule.before.back().gc = GcPolicy::MaxVersions(2);
  EXPECT_EQ(ReplayVersions(puts, deletes, rule, 0), (std::vector<Version>{{6, 4}}));
}

}  // namespace
}  // namespace sippar::engine
