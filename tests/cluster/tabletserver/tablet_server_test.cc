// The life of tablets on servers: loads, moves, splits, deaths, drains.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/tablet_server.h"

#include "engine/base/crash_point.h"
#include "tests/cluster/tabletserver/server_world.h"

namespace sippar::cluster {
namespace {

class TabletServerTest : public ServerWorld {};

TEST_F(TabletServerTest, CallsAtAnotherEpochAreRefused) {  // FAULTS.md N8
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  EXPECT_OK(Put(server.get(), record, "a", "1"));
  EXPECT_EQ(*Get(server.get(), record), "a=1");
  ++record.tablet_epoch;
  EXPECT_CODE(Put(server.get(), record, "a", "2"), StatusCode::kOutOfRange);
  EXPECT_CODE(Get(server.get(), record), StatusCode::kOutOfRange);
  EXPECT_EQ(All(server.get()), "a=1");
}

TEST_F(TabletServerTest, RepeatedAndDelayedControlCallsFindTheirWorkDone) {  // FAULTS.md N4, N9
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  auto control = server->Control();
  EXPECT_OK(control->Do(calls::LoadTablet{kMaster, record, table_}));
  EXPECT_OK(control->Do(calls::UnloadTablet{kMaster, record.tablet_id, record.tablet_epoch}));
  EXPECT_OK(control->Do(calls::UnloadTablet{kMaster, record.tablet_id, record.tablet_epoch}));
  EXPECT_CODE(control->Do(calls::LoadTablet{kMaster, record, table_}),
              StatusCode::kFailedPrecondition);
  EXPECT_OK(control->Do(calls::UnloadTablet{kMaster, 99, 4}));  // arrives before its load
  record.tablet_id = 99;
  record.tablet_epoch = 4;
  EXPECT_CODE(control->Do(calls::LoadTablet{kMaster, record, table_}),
              StatusCode::kFailedPrecondition);
  EXPECT_TRUE(control->Do(calls::Report{kMaster})->tablets.empty());
}

TEST_F(TabletServerTest, ABatchOfStatsHasAPartForEachTablet) {
  auto server = Start("s1");
  const TabletRecord left = NewTablet(server.get(), {"", "m"});
  const TabletRecord right = NewTablet(server.get(), {"m", ""});
  EXPECT_OK(Put(server.get(), right, "n", "1"));
  auto control = server->Control();
  auto stats = control->Do(calls::BatchTabletStats{{right.tablet_id, 99, left.tablet_id}});
  ASSERT_TRUE(IsOk(stats));
  ASSERT_EQ(stats->size(), 3u);
  ASSERT_TRUE((*stats)[0].has_value() && (*stats)[2].has_value());
  EXPECT_FALSE((*stats)[1].has_value());
  EXPECT_EQ((*stats)[0]->front().entries, 1u);
  EXPECT_EQ((*stats)[2]->front().entries, 0u);
  const std::vector<uint64_t> many(calls::BatchTabletStats::kTabletsMax + 5, left.tablet_id);
  stats = control->Do(calls::BatchTabletStats{many});
  ASSERT_TRUE(IsOk(stats));
  EXPECT_EQ(stats->size(), calls::BatchTabletStats::kTabletsMax);
}

TEST_F(TabletServerTest, AnOlderMasterIsRefused) {  // FAULTS.md L12
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  auto control = server->Control();
  EXPECT_OK(control->Do(calls::Report{kMaster + 1}));
  EXPECT_CODE(control->Do(calls::UnloadTablet{kMaster, record.tablet_id, record.tablet_epoch}),
              StatusCode::kAborted);
  EXPECT_CODE(control->Do(calls::Report{kMaster}), StatusCode::kAborted);
  EXPECT_EQ(control->Do(calls::Report{kMaster + 1})->tablets.size(), 1u);
}

TEST_F(TabletServerTest, AMovedTabletNeedsNoLog) {  // FAULTS.md P9
  auto source = Start("s1");
  auto target = Start("s2");
  TabletRecord record = NewTablet(source.get());
  EXPECT_OK(Put(source.get(), record, "a", "1"));
  EXPECT_OK(Put(source.get(), record, "b", "2"));
  Move(source.get(), target.get());
  EXPECT_TRUE(Find().logs.empty());
  EXPECT_EQ(All(target.get()), "a=1 b=2");
  EXPECT_CODE(Get(source.get(), record), StatusCode::kOutOfRange);
  EXPECT_CODE(Put(source.get(), record, "a", "late"), StatusCode::kOutOfRange);
  Move(target.get(), source.get());  // and back, at a higher epoch
  EXPECT_EQ(All(source.get()), "a=1 b=2");
}

// FAULTS.md P10, P12; invariant I1.
TEST_F(TabletServerTest, WhatWasAcknowledgedSurvivesTheDeathsOfThreeServers) {
  for (bool sort : {false, true}) {
    SCOPED_TRACE(sort);
    auto first = Start("s1");
    TabletRecord record =
        NewTablet(first.get(), sort ? engine::RowRange{"m", ""} : engine::RowRange{"", "m"});
    std::string start = record.range.start;
    std::string expected;
    auto put = [&](TabletServer* server, uint64_t count) {
      for (uint64_t i = 0; i < count; ++i) {
        std::string row = fmt::format("{}{:03}", sort ? "x" : "c", deaths_ * 100 + i);
        EXPECT_OK(Put(server, Find(start), row, std::string(100, 'v')));
        expected += (expected.empty() ? "" : " ") + row + "=" + std::string(100, 'v');
      }
    };
    uint64_t before = deaths_;
    put(first.get(), 60);
    ServerId id = first->id();
    Die(&first);
    auto second = Start("s2");
    Recover(id, second.get(), sort);
    EXPECT_EQ(Find(start).logs.size(), 1u);
    EXPECT_EQ(second->Control()->Do(calls::Metrics{})->at("log_records_replayed"), 60u);
    put(second.get(), 30);
    id = second->id();
    Die(&second);  // nothing is flushed, so its successor needs both logs
    auto third = Start("s3");
    Recover(id, third.get(), sort);
    EXPECT_EQ(Find(start).logs.size(), 2u);
    EXPECT_EQ(*Get(third.get(), Find(start)), expected);
    // The write that names the SSTables removes both logs from the record (F6).
    EXPECT_OK(third->Control()->Do(calls::FlushTablet{record.tablet_id}));
    EXPECT_TRUE(Find(start).logs.empty());
    EXPECT_EQ(*Get(third.get(), Find(start)), expected);
    EXPECT_EQ(deaths_, before + 2);
  }
}

TEST_F(TabletServerTest, AMissingOrDamagedSealedLogIsToldAndNothingIsServed) {
  auto first = Start("s1");
  TabletRecord record = NewTablet(first.get());
  EXPECT_OK(Put(first.get(), record, "a", "1"));
  auto second = Start("s2");
  record = Find();
  record.server = second->id();
  ++record.tablet_epoch;
  record.logs = {{"nobody", 1}};
  EXPECT_CODE(second->Control()->Do(calls::LoadTablet{kMaster, record, table_}),
              StatusCode::kDataLoss);
  EXPECT_CODE(Get(second.get(), record), StatusCode::kOutOfRange);
  // The answer is final: an older call can no longer load the tablet.
  EXPECT_CODE(second->Control()->Do(calls::LoadTablet{kMaster, record, table_}),
              StatusCode::kFailedPrecondition);
}

TEST_F(TabletServerTest, ASplitIsOneRowAndServesBothHalves) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  for (const char* row : {"a", "b", "c", "d"}) EXPECT_OK(Put(server.get(), record, row, row));
  EXPECT_OK(server->Control()->Do(calls::SplitTablet{kMaster, record.tablet_id, "c"}));
  std::vector<TabletRecord> halves = Records();
  ASSERT_EQ(halves.size(), 2u);
  EXPECT_EQ(halves[0].range, (engine::RowRange{"", "c"}));
  EXPECT_EQ(halves[1].range, (engine::RowRange{"c", ""}));
  EXPECT_EQ(halves[0].tablet_epoch, record.tablet_epoch + 1);
  EXPECT_EQ(*Get(server.get(), halves[0]), "a=a b=b");
  EXPECT_EQ(*Get(server.get(), halves[1]), "c=c d=d");
  EXPECT_CODE(Get(server.get(), record), StatusCode::kOutOfRange);
  EXPECT_OK(Put(server.get(), halves[1], "e", "e"));
  EXPECT_OK(server->Control()->Do(calls::FlushTablet{halves[1].tablet_id}));
  auto target = Start("s2");
  Move(server.get(), target.get(), "c");
  EXPECT_EQ(*Get(target.get(), Find("c")), "c=c d=d e=e");
}

// METADATA names the children before the server serves them. A second object for a child would
// accept writes and reuse their sequence numbers.
TEST_F(TabletServerTest, ChildrenOfASplitAreNeitherLoadedNorUnloadedMeanwhile) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  for (const char* row : {"a", "z"}) EXPECT_OK(Put(server.get(), record, row, row));
  int asked = 0;
  lossy_->on_finish_split = [&](const TabletRecord& parent) {
    auto [left, right] = ChildrenOf(parent);
    EXPECT_CODE(server->Control()->Do(calls::LoadTablet{kMaster, left, table_}),
                StatusCode::kUnavailable);
    EXPECT_CODE(
        server->Control()->Do(calls::UnloadTablet{kMaster, right.tablet_id, right.tablet_epoch}),
        StatusCode::kUnavailable);
    ++asked;
  };
  EXPECT_OK(server->Control()->Do(calls::SplitTablet{kMaster, record.tablet_id, "m"}));
  EXPECT_EQ(asked, 1);
  // The tablet is already loaded.
  EXPECT_OK(server->Control()->Do(calls::LoadTablet{kMaster, Find("a"), table_}));
  EXPECT_OK(Put(server.get(), Find("z"), "y", "y"));
  EXPECT_EQ(*Get(server.get(), Find("a")), "a=a");
  EXPECT_EQ(*Get(server.get(), Find("z")), "y=y z=z");
}

TEST_F(TabletServerTest, FilesThatMayNotBeNamedYetAreToldToTheSweep) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  auto first = [&] {
    return server->Control()->Do(calls::Report{kMaster})->first_unpublished_file;
  };
  EXPECT_OK(Put(server.get(), record, "a", "1"));
  EXPECT_OK(server->Control()->Do(calls::FlushTablet{record.tablet_id}));
  uint64_t next = first();
  EXPECT_GT(next, Find().state.FileIds().back());
  uint64_t meanwhile = 0;
  engine::CrashPoints::Arm([&](const char* name) {
    if (std::string_view(name) == "flush.before_state") meanwhile = first();
  });
  EXPECT_OK(Put(server.get(), record, "b", "2"));
  lossy_->answers_lost = 1;
  EXPECT_CODE(server->Control()->Do(calls::FlushTablet{record.tablet_id}),
              StatusCode::kUnavailable);
  EXPECT_EQ(meanwhile, next);
  EXPECT_EQ(first(), 0u);  // it is not known which files METADATA names, not even for older ones
  EXPECT_OK(server->Control()->Do(calls::FlushTablet{record.tablet_id}));
  EXPECT_GT(first(), Find().state.FileIds().back());
  next = first();
  engine::CrashPoints::Arm([&](const char* name) {
    if (std::string_view(name) == "compaction.before_state") meanwhile = first();
  });
  EXPECT_OK(server->Control()->Do(calls::CompactTablet{record.tablet_id, ""}));
  EXPECT_EQ(meanwhile, next);
  EXPECT_GT(first(), next);
}

// A master that takes the server for dead may sweep a file before it has its final name.
TEST_F(TabletServerTest, AFileThatWasSweptIsNoMissingTable) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  const auto removes_new_files = [&](const char* name) {
    if (std::string_view(name) != "sstable.synced") return;
    engine::FileSystem* disk = &disk_;
    const std::vector<std::string> files = disk->List("/db/sst").value();
    for (const std::string& file : files) {
      if (file.ends_with(".tmp")) EXPECT_OK(disk->Remove("/db/sst/" + file));
    }
  };
  EXPECT_OK(Put(server.get(), record, "a", "1"));
  EXPECT_OK(Put(server.get(), record, "b", "2"));
  engine::CrashPoints::Arm(removes_new_files);
  auto control = server->Control();
  EXPECT_CODE(control->Do(calls::FlushTablet{record.tablet_id}), StatusCode::kUnavailable);
  EXPECT_CODE(control->Do(calls::CompactTablet{record.tablet_id, ""}), StatusCode::kUnavailable);
  EXPECT_CODE(control->Do(calls::SplitTablet{kMaster, record.tablet_id, "b"}),
              StatusCode::kUnavailable);
  engine::CrashPoints::Arm({});
  EXPECT_OK(control->Do(calls::FlushTablet{record.tablet_id}));
  EXPECT_EQ(All(server.get()), "a=1 b=2");
}

TEST_F(TabletServerTest, LostAnswersOfMetadataLoseNothing) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  EXPECT_OK(Put(server.get(), record, "a", "1"));
  lossy_->answers_lost = 1;
  EXPECT_CODE(server->Control()->Do(calls::FlushTablet{record.tablet_id}),
              StatusCode::kUnavailable);
  EXPECT_OK(Put(server.get(), record, "b", "2"));
  EXPECT_OK(server->Control()->Do(calls::FlushTablet{record.tablet_id}));
  lossy_->answers_lost = 3;  // the server retries until it knows the outcome
  EXPECT_OK(server->Control()->Do(calls::SplitTablet{kMaster, record.tablet_id, "b"}));
  EXPECT_EQ(Records().size(), 2u);
  EXPECT_EQ(All(server.get()), "a=1 b=2");
  ServerId id = server->id();
  Die(&server);
  auto next = Start("s2");
  Recover(id, next.get());
  EXPECT_EQ(All(next.get()), "a=1 b=2");
}

TEST_F(TabletServerTest, ADrainedServerLeavesNothingToRecover) {  // FAULTS.md P17
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  EXPECT_OK(Put(server.get(), record, "a", "1"));
  EXPECT_OK(server->Drain());
  EXPECT_TRUE(session_->List(lock_paths::Servers())->empty());
  EXPECT_CODE(Put(server.get(), record, "a", "2"), StatusCode::kUnavailable);
  EXPECT_CODE(server->Control()->Do(calls::LoadTablet{kMaster, Find(), table_}),
              StatusCode::kFailedPrecondition);
  TabletRecord other = Find();
  other.tablet_id = 99;
  EXPECT_CODE(server->Control()->Do(calls::LoadTablet{kMaster, other, table_}),
              StatusCode::kFailedPrecondition);  // final: the master asks another server
  EXPECT_TRUE(server->Control()->Do(calls::Report{kMaster})->leaves);
  server.reset();
  for (const std::string& path : disk_.AllFiles()) EXPECT_FALSE(path.ends_with(".log")) << path;
  EXPECT_EQ(Find().phase, TabletPhase::kUnassigned);  // the end of this server needs no recovery
  EXPECT_TRUE(Find().server.IsNone());
  EXPECT_GT(Find().tablet_epoch, record.tablet_epoch);
  EXPECT_TRUE(Find().logs.empty());
  auto next = Start("s2");
  (void)Assign(Find(), next.get());
  EXPECT_EQ(All(next.get()), "a=1");
  EXPECT_EQ(next->Control()->Do(calls::Metrics{})->at("log_records_replayed"), 0u);
}

TEST_F(TabletServerTest, ACleanEndWaitsForASplitAndTakesItsChildren) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  for (const char* row : {"a", "z"}) EXPECT_OK(Put(server.get(), record, row, row));
  engine::Thread end;
  lossy_->on_finish_split = [&](const TabletRecord&) {
    std::atomic<bool> begun{false};
    end = engine::Thread("end", [&] {
      begun = true;
      EXPECT_OK(server->Drain());
    });
    while (!begun) engine::Clock::System()->SleepMicros(1'000);
    engine::Clock::System()->SleepMicros(50'000);  // the call usually meets the split
  };
  EXPECT_OK(server->Control()->Do(calls::SplitTablet{kMaster, record.tablet_id, "m"}));
  end.Join();
  EXPECT_TRUE(session_->List(lock_paths::Servers())->empty());
  EXPECT_EQ(Records().size(), 2u);
  for (const std::string& path : disk_.AllFiles()) EXPECT_FALSE(path.ends_with(".log")) << path;
}

TEST_F(TabletServerTest, ACleanEndWaitsForALoad) {
  auto first = Start("s1");
  auto second = Start("s2");
  TabletRecord record = NewTablet(first.get());
  EXPECT_OK(Put(first.get(), record, "a", "1"));
  engine::Thread end;
  engine::CrashPoints::Arm([&](const char* name) {
    if (std::string_view(name) != "load.after_replay") return;
    end = engine::Thread("end", [&] { EXPECT_OK(second->Drain()); });
    engine::Clock::System()->SleepMicros(50'000);  // the drain finds no served tablets
  });
  Move(first.get(), second.get(), "a");
  engine::CrashPoints::Arm(nullptr);
  end.Join();
  EXPECT_CODE(Get(second.get(), Find()), StatusCode::kUnavailable);
  second.reset();
  EXPECT_TRUE(Find().server.IsNone());
  EXPECT_TRUE(Find().logs.empty());  // no log needs recovery
  (void)Assign(Find(), first.get());
  EXPECT_EQ(All(first.get()), "a=1");
}

TEST_F(TabletServerTest, SchemasRiseOnly) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  AddFamily("g");
  table_.schema_version = 3;
  EXPECT_OK(server->Control()->Do(calls::SetSchema{kMaster, table_}));
  TableRecord older = table_;
  older.schema_version = 2;
  older.schema.families.pop_back();
  EXPECT_OK(server->Control()->Do(calls::SetSchema{kMaster, older}));
  EXPECT_EQ(server->Control()->Do(calls::Report{kMaster})->tablets.front().schema_version, 3u);
  RowMutation mutation("r");
  mutation.Set("g", "q", "v");
  const RowMutation* only = &mutation;
  EXPECT_OK(OnlyPart(server->Tablets()->Do(
      calls::ApplyRows<TabletAddress>{{record.tablet_id, record.tablet_epoch}, {&only, 1}})));
  TabletRecord delayed = record;
  ++delayed.tablet_id;
  EXPECT_CODE(server->Control()->Do(calls::LoadTablet{kMaster, delayed, older}),
              StatusCode::kUnavailable);
}

// A split that has copied the parent's state would not pass the new births to its children.
TEST_F(TabletServerTest, ATabletWhoseSchemaChangesStaysAsItIs) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  AddFamily("g");
  table_.schema_version = 2;
  int asked = 0;
  lossy_->on_write = [&] {
    // Otherwise the tablet would already be served; splits and unloads are rejected in the same
    // way.
    EXPECT_CODE(server->Control()->Do(calls::LoadTablet{kMaster, record, table_}),
                StatusCode::kUnavailable);
    ++asked;
  };
  EXPECT_OK(server->Control()->Do(calls::SetSchema{kMaster, table_}));
  EXPECT_EQ(asked, 1);
  lossy_->on_write = nullptr;
  EXPECT_OK(server->Control()->Do(calls::LoadTablet{kMaster, record, table_}));
  EXPECT_OK(server->Control()->Do(calls::SplitTablet{kMaster, record.tablet_id, "m"}));
}

// A server that takes over the schema of table_. A write to the tablet is refused until it is in
// force.
class HeldWritesTest : public TabletServerTest {
 protected:
  void SetSchemaThatHoldsWrites(TabletServer* server, const TabletRecord& record) {
    int asked = 0;
    lossy_->on_write = [&] {
      EXPECT_CODE(Put(server, record, "b", "2"), StatusCode::kOutOfRange);
      ++asked;
    };
    EXPECT_OK(server->Control()->Do(calls::SetSchema{kMaster, table_}));
    EXPECT_EQ(asked, 1);
    lossy_->on_write = nullptr;
    EXPECT_OK(Put(server, record, "c", "3"));
  }
};

// Such a write would be checked against the old family and end up in the new one.
TEST_F(HeldWritesTest, NoWriteComesBetweenTheBirthOfAFamilyAndItsSchema) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  EXPECT_OK(Put(server.get(), record, "a", "1"));
  table_.schema.families[0].incarnation = table_.schema_version = 2;
  SetSchemaThatHoldsWrites(server.get(), record);
  EXPECT_EQ(All(server.get()), "c=3");
}

// The sequence number from which on the new rule counts is already chosen.
TEST_F(HeldWritesTest, NoWriteComesBetweenTheEndOfARuleAndItsSchema) {
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  engine::FamilySchema& family = table_.schema.families[0];
  family.earlier = {{family.gc, table_.schema_version = 2}};
  family.gc = engine::GcPolicy::MaxVersions(1);
  SetSchemaThatHoldsWrites(server.get(), record);
  EXPECT_EQ(Find().state.family_births.count("f@2"), 1u);
}

TEST(ServedSet, ASchemaIsInForceWhenNoTabletIsUnderWay) {
  ServedSet served;
  EXPECT_OK(served.BeginLoad({1, 1}, 7, 1));
  EXPECT_CODE(served.OfTable(7, 2).status(), StatusCode::kUnavailable);
  EXPECT_OK(served.OfTable(8, 2));
  served.EndLoad({1, 1}, nullptr, false);
  EXPECT_OK(served.OfTable(7, 2));
  EXPECT_CODE(served.BeginLoad({1, 1}, 7, 1), StatusCode::kUnavailable);
  EXPECT_OK(served.BeginLoad({1, 1}, 7, 2));
}

TEST_F(TabletServerTest, AFamilyMadeAnewWhileNobodyHadTheTabletIsEmpty) {
  auto first = Start("s1");
  TabletRecord record = NewTablet(first.get());
  EXPECT_OK(Put(first.get(), record, "a", "1"));
  EXPECT_OK(
      first->Control()->Do(calls::UnloadTablet{kMaster, record.tablet_id, record.tablet_epoch}));
  table_.schema.families[0].incarnation = table_.schema_version = 2;
  auto second = Start("s2");
  (void)Assign(Find(), second.get());
  EXPECT_EQ(All(second.get()), "");
  EXPECT_OK(Put(second.get(), Find(), "b", "2"));
  Move(second.get(), first.get());
  EXPECT_EQ(All(first.get()), "b=2");  // the family was born only once
  // Cells of the older family that only a log has do not come back either.
  table_.schema.families[0].incarnation = table_.schema_version = 3;
  EXPECT_OK(Put(first.get(), Find(), "c", "3"));
  ServerId id = first->id();
  Die(&first);
  Recover(id, second.get());
  EXPECT_EQ(All(second.get()), "");
  EXPECT_OK(Put(second.get(), Find(), "d", "4"));
  // A merge needs this; the family remains known.
  EXPECT_OK(second->Control()->Do(calls::ForgetBirths{kMaster, Find().tablet_id}));
  EXPECT_EQ(Find().state.family_births, (std::map<std::string, uint64_t>{{"f#3", 0}}));
  auto third = Start("s3");
  Move(second.get(), third.get());
  EXPECT_EQ(All(third.get()), "d=4");
}

TEST_F(TabletServerTest, ARuleReplacedWhileNobodyHadTheTabletSparesWhatEarlierDeletesLeft) {
  auto first = Start("s1");
  TabletRecord record = NewTablet(first.get());
  auto write = [&](const RowMutation& mutation) {
    const RowMutation* only = &mutation;
    EXPECT_OK(OnlyPart(first->Tablets()->Do(
        calls::ApplyRows<TabletAddress>{{record.tablet_id, record.tablet_epoch}, {&only, 1}})));
  };
  write(RowMutation("a").Set("f", "q", "old", 3));
  write(RowMutation("a").Set("f", "q", "new", 4));
  write(RowMutation("a").DeleteColumn("f", "q", {4, 5}));
  EXPECT_OK(
      first->Control()->Do(calls::UnloadTablet{kMaster, record.tablet_id, record.tablet_epoch}));
  engine::FamilySchema& family = table_.schema.families[0];
  family.earlier = {{family.gc, table_.schema_version = 2}};
  family.gc = engine::GcPolicy::MaxVersions(1);
  auto second = Start("s2");
  (void)Assign(Find(), second.get());
  EXPECT_EQ(All(second.get()), "a=old");
  auto ends = Find().state.family_births;
  EXPECT_EQ(ends.count("f@2"), 1u);
  Move(second.get(), first.get());
  EXPECT_EQ(Find().state.family_births, ends);  // it ended only once
  EXPECT_OK(first->Control()->Do(calls::ForgetBirths{kMaster, Find().tablet_id}));
  EXPECT_EQ(Find().state.family_births, (std::map<std::string, uint64_t>{{"f@2", 0}}));
  EXPECT_EQ(All(first.get()), "a=old");
}

TEST_F(TabletServerTest, AFamilyThatMovedWhileNobodyHadTheTabletIsRead) {
  auto first = Start("s1");
  TabletRecord record = NewTablet(first.get());
  EXPECT_OK(Put(first.get(), record, "a", "1"));
  EXPECT_OK(
      first->Control()->Do(calls::UnloadTablet{kMaster, record.tablet_id, record.tablet_epoch}));
  for (engine::LocalityGroupSchema& group : table_.schema.groups) std::erase(group.families, "f");
  engine::LocalityGroupSchema& other = table_.schema.groups.emplace_back();
  other.name = "other";
  other.families = {"f"};
  table_.schema.Normalize();
  table_.schema_version = 2;
  auto second = Start("s2");
  (void)Assign(Find(), second.get());
  EXPECT_EQ(All(second.get()), "a=1");
  EXPECT_OK(Put(second.get(), Find(), "b", "2"));
  EXPECT_OK(second->Control()->Do(calls::CompactTablet{Find().tablet_id, ""}));
  EXPECT_EQ(All(second.get()), "a=1 b=2");
}

TEST_F(TabletServerTest, ALogThatWasSweptDuringTheStartEndsIt) {
  engine::CrashPoints::Arm([&](const char* name) {
    if (std::string_view(name) != "server.after_register") return;
    std::string log = "/db/wal/" + disk_.List("/db/wal")->front();
    EXPECT_OK(disk_.Rename(log, log + ".sealed"));
  });
  EXPECT_CODE(TabletServer::Start(OptionsOf("s1")), StatusCode::kUnavailable);
  EXPECT_TRUE(session_->List(lock_paths::Servers())->empty());
}

TEST_F(TabletServerTest, TwoLivesUnderOneNameExcludeEachOther) {  // FAULTS.md L10
  auto server = Start("s1");
  TabletServerOptions second = OptionsOf("s2");  // another machine
  second.name = "s1";
  EXPECT_CODE(TabletServer::Start(std::move(second)), StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace sippar::cluster
