// A tablet that repeatedly ends its server is set aside, and an administrator lets it back
// (tests/FAULTS.md P19).
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "cluster/api/crash_note.h"
#include "cluster/api/store_paths.h"
#include "tests/cluster/node/cluster_world.h"

namespace sippar::cluster {
namespace {

using testing::HasSubstr;

// First row of the deadly ones, which extend to the end of the table.
constexpr int kFirstDeadly = 100;
constexpr size_t kKillsMax = 8;

class SetAsideTest : public ClusterWorld {
 protected:
  SetAsideTest() {
    policy_.garbage_us = 200'000;
    policy_.trash_us = 0;
  }

  ClusterHealth Health() {
    auto health = cluster_->admin()->Do(calls::ClusterStatus{});
    return health.ok() ? *health : ClusterHealth();
  }
  template <class Wanted>
  void Await(const Wanted& wanted) {
    for (int i = 0; i < 3'000; ++i) {
      if (wanted()) return;
      engine::Clock::System()->SleepMicros(20'000);
    }
    FAIL() << "not as wanted after 60 s";
  }
  static const UnservedTablet* FindDeadly(const ClusterHealth& health) {
    for (const UnservedTablet& tablet : health.unserved) {
      if (tablet.table == "t" && tablet.range.Contains(RowOf(kFirstDeadly))) return &tablet;
    }
    return nullptr;
  }
  bool IsSetAside() {
    const ClusterHealth health = Health();
    const UnservedTablet* deadly = FindDeadly(health);
    return deadly != nullptr && deadly->state == "set_aside";
  }
  // The running server that serves the deadly rows; "": none.
  std::string WhoServes() {
    const ClusterHealth health = Health();
    if (!health.master.is_running || FindDeadly(health) != nullptr) return "";
    auto record = cluster_->metadata()->Find(TableId(), RowOf(kFirstDeadly));
    if (!record.ok() || record->server.IsNone()) return "";
    const std::string name = record->server.name;
    return cluster_->server(name)->id() == record->server ? name : "";
  }
  uint64_t TableId() {
    auto info = cluster_->admin()->Do(calls::GetTable{"t"});
    return info.ok() ? info->table_id : 0;
  }
  // What the process of the server notes when it crashes while it works on the deadly rows.
  void NoteCrash(const std::string& name) {
    auto record = cluster_->metadata()->Find(TableId(), RowOf(kFirstDeadly));
    ASSERT_TRUE(record.ok()) << record.status();
    std::array<char, kCrashNoteSizeMax> room;
    const std::string log = store_paths::Log("/db", cluster_->server(name)->id());
    EXPECT_OK(engine::ReplaceFile(machines_[name].get(), store_paths::CrashNote(log),
                                  EncodeCrashNote({SIGSEGV, record->tablet_id}, &room)));
  }
  // Ends each server that has loaded the deadly rows, and starts a new one in its place, until no
  // server gets them any more or kKillsMax servers have ended. Returns their number. `before_end`
  // is called with the name of each server before it ends.
  size_t KillUntilSetAside(const std::function<void(const std::string&)>& before_end) {
    size_t kills = 0;
    while (kills < kKillsMax) {
      std::string name;
      Await([&] { return IsSetAside() || !(name = WhoServes()).empty(); });
      if (name.empty()) break;
      before_end(name);
      Crash(name);
      ++kills;
      StartServer(name);
    }
    return kills;
  }
  Status ReadRow(const std::string& row) {
    ReadSpec read;
    read.rows = engine::RowSet(engine::RowRange::Single(row));
    auto cells = cluster_->data()->Read("t", read, {});
    if (!cells.ok()) return cells.status();
    EXPECT_TRUE((*cells)->Valid() || !(*cells)->status().ok());
    return (*cells)->status();
  }
};

TEST_F(SetAsideTest, P19_ATabletThatKillsItsServersIsSetAsideAndComesBackWhole) {
  Start(3);
  CreateTable({RowOf(kFirstDeadly)});
  Write(0, 2 * kFirstDeadly, "a");
  EXPECT_EQ(KillUntilSetAside([&](const std::string& name) { NoteCrash(name); }), 3u);

  // All other tablets are served, and the status names the deadly one.
  Await([&] { return Health().unserved.size() == 1 && Health().recoveries.empty(); });
  ClusterHealth health = Health();
  EXPECT_FALSE(health.healthy);
  EXPECT_EQ(health.tablets.set_aside, 1u);
  EXPECT_EQ(health.tablets.online, health.tablets.total - 1);
  ASSERT_EQ(health.unserved.size(), 1u);
  EXPECT_EQ(health.unserved[0].state, "set_aside");
  EXPECT_THAT(health.unserved[0].why, HasSubstr("letback"));
  EXPECT_OK(ReadRow(RowOf(0)));

  // A call to it fails at once; the error names the tablet and the remedy.
  RowMutation write(RowOf(kFirstDeadly));
  write.Set("f", "q", "late");
  for (const Status& refused :
       {ReadRow(RowOf(kFirstDeadly)), cluster_->data()->Apply("t", write)}) {
    EXPECT_CODE(refused, StatusCode::kUnavailable);
    EXPECT_THAT(std::string(MessageOf(refused)), HasSubstr("table t: tablet "));
    EXPECT_THAT(std::string(MessageOf(refused)), HasSubstr("is set aside"));
    EXPECT_THAT(std::string(MessageOf(refused)), HasSubstr("sippar admin letback"));
  }
  EXPECT_CODE(cluster_->admin()->Do(calls::MoveTablet{"t", RowOf(kFirstDeadly), "s1"}),
              StatusCode::kFailedPrecondition);

  // The next master knows it as well.
  cluster_->StopMaster("m1");
  ASSERT_OK_(cluster_->StartMaster("m2"));
  ASSERT_OK_(cluster_->WaitForMaster(20 * kSecond));
  Await([&] { return IsSetAside(); });

  // The tablet's writes are only in the logs, which the sweep must keep.
  auto record = cluster_->metadata()->Find(TableId(), RowOf(kFirstDeadly));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_FALSE(record->logs.empty());
  for (const ServerId& log : record->logs) {
    auto exists = disk_.Exists(store_paths::SealedLog("/db", log));
    EXPECT_TRUE(exists.ok() && *exists) << log.ToString();
  }

  // Servers survive the tablet now, so it may be let back; repeating the call is allowed.
  const calls::LetBack back{"t", RowOf(2 * kFirstDeadly - 1)};
  EXPECT_OK(cluster_->admin()->Do(back));
  EXPECT_OK(cluster_->admin()->Do(back));
  Await([&] { return Health().healthy; });
  EXPECT_EQ(Health().tablets.set_aside, 0u);
  CheckAll();
  auto events = cluster_->admin()->Do(calls::TabletEvents{"t"});
  ASSERT_TRUE(events.ok()) << events.status();
  for (const char* kind : {"set_aside", "let_back"}) {
    EXPECT_TRUE(std::any_of(events->begin(), events->end(), [&](const TabletEventInfo& event) {
      return event.kind == kind;
    })) << kind;
  }
  EXPECT_CODE(cluster_->admin()->Do(calls::LetBack{"nosuch", ""}), StatusCode::kNotFound);
}

TEST_F(SetAsideTest, P19_ServersThatDieWithoutANoteSetNothingAside) {
  Start(3);
  CreateTable({RowOf(kFirstDeadly)});
  Write(0, 2 * kFirstDeadly, "a");
  EXPECT_EQ(KillUntilSetAside([](const std::string&) {}), kKillsMax);
  Await([&] { return Health().healthy; });
  EXPECT_EQ(Health().tablets.set_aside, 0u);
  auto record = cluster_->metadata()->Find(TableId(), RowOf(kFirstDeadly));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_TRUE(!record->suspicion || record->suspicion->deaths.empty());
  CheckAll();
}

}  // namespace
}  // namespace sippar::cluster
