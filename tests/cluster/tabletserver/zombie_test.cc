// Servers that wake up after others have taken over: they give no late acknowledgement, store no
// late fact and return no stale answer (PROTOCOL.md; FAULTS.md L3, L13, L14, D21, P7, P9). The
// zombie stops inside a crash point while the test recovers its tablets on another server, then
// continues.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/tablet_server.h"
#include "engine/base/crash_point.h"
#include "tests/cluster/tabletserver/server_world.h"

namespace sippar::cluster {
namespace {

class ZombieTest : public ServerWorld {
 protected:
  // Runs `during` once, when `point` is first reached.
  void PauseAt(const std::string& point, std::function<void()> during) {
    auto waiting = std::make_shared<bool>(true);
    engine::CrashPoints::Arm([point, during = std::move(during), waiting](const char* name) {
      if (!*waiting || point != name) return;
      *waiting = false;
      during();
    });
    paused_ = waiting;
  }
  bool WasPaused() const { return !*paused_; }

  std::shared_ptr<bool> paused_;
};

TEST_F(ZombieTest, AWriteIsAcknowledgedOnlyIfTheRecoveryHasIt) {  // FAULTS.md L3
  for (const char* point : {"log.before_append", "log.after_sync", "log.before_apply"}) {
    SCOPED_TRACE(point);
    uint64_t n = ++tablets_made_;
    engine::RowRange range{fmt::format("{}", n), fmt::format("{}", n + 1)};
    auto zombie = Start("zombie" + std::to_string(n));
    auto heir = Start("heir" + std::to_string(n));
    TabletRecord record = NewTablet(zombie.get(), range);
    EXPECT_OK(Put(zombie.get(), record, range.start, "acked"));
    PauseAt(point, [&] { Recover(zombie->id(), heir.get()); });
    Status late = Put(zombie.get(), record, range.start + "z", "late");
    ASSERT_TRUE(WasPaused());
    std::string acked = range.start + "=acked";
    std::string both = acked + " " + range.start + "z=late";
    std::string found = *Get(heir.get(), Find(range.start));
    if (late.ok()) {
      EXPECT_EQ(found, both);
      EXPECT_STREQ(point, "log.before_apply");  // after the fence check, so the SEAL covers it
    } else {
      EXPECT_EQ(late.code(), StatusCode::kUnavailable);
      EXPECT_TRUE(found == acked || found == both) << found;
      EXPECT_CODE(Get(zombie.get(), record), StatusCode::kUnavailable);
      EXPECT_GT(ended_, 0);
    }
    // Later writes of the zombie have no effect.
    EXPECT_CODE(Put(zombie.get(), record, range.start + "y", "later"), StatusCode::kUnavailable);
    EXPECT_FALSE(zombie->Control()->Do(calls::FlushTablet{record.tablet_id}).ok());
    EXPECT_EQ(*Get(heir.get(), Find(range.start)), found);
  }
}

TEST_F(ZombieTest, ASleeperWhoseLeaseEndedAnswersNothing) {  // FAULTS.md L3, C6
  auto sleeper = Start("s1", 10 * kSecond);
  TabletRecord record = NewTablet(sleeper.get());
  EXPECT_OK(Put(sleeper.get(), record, "a", "1"));
  EXPECT_EQ(*Get(sleeper.get(), record), "a=1");
  PauseAt("log.after_sync", [&] { lock_.Pass(3600 * kSecond); });
  EXPECT_CODE(Put(sleeper.get(), record, "b", "2"), StatusCode::kUnavailable);
  EXPECT_CODE(Get(sleeper.get(), record), StatusCode::kUnavailable);
  EXPECT_GT(ended_, 0);
}

TEST_F(ZombieTest, ASplitOfUnknownOutcomeOutlastsALeaseThatComesBack) {  // FAULTS.md L1
  auto server = Start("s1", 10 * kSecond);
  TabletRecord record = NewTablet(server.get());
  EXPECT_OK(Put(server.get(), record, "a", "1"));
  EXPECT_OK(Put(server.get(), record, "b", "2"));
  EXPECT_OK(server->Control()->Do(calls::FlushTablet{record.tablet_id}));
  bool passed = false;
  lossy_->answers_lost = 1;
  lossy_->on_write = [&] {
    if (!std::exchange(passed, true)) lock_.Pass(8'500'000);
  };
  EXPECT_OK(server->Control()->Do(calls::SplitTablet{kMaster, record.tablet_id, "b"}));
  EXPECT_TRUE(passed);
  for (int i = 0; i < 500 && !Get(server.get(), Find()).ok(); ++i) {
    engine::Clock::System()->SleepMicros(10'000);
  }
  EXPECT_OK(Put(server.get(), Find("b"), "c", "3"));
  EXPECT_EQ(All(server.get()), "a=1 b=2 c=3");
  EXPECT_EQ(ended_, 0);
}

TEST_F(ZombieTest, ADeletedLogDirectoryEndsTheServer) {  // FAULTS.md D21
  auto server = Start("s1");
  TabletRecord record = NewTablet(server.get());
  EXPECT_OK(Put(server.get(), record, "a", "1"));
  std::string log = store_paths::Log("/db", server->id());
  for (const std::string& path : disk_.AllFiles()) {
    if (path.starts_with(log + "/")) {
      EXPECT_OK(disk_.Remove(path));
    }
  }
  EXPECT_OK(disk_.RemoveDir(log));
  EXPECT_CODE(Put(server.get(), record, "b", "2"), StatusCode::kUnavailable);
  EXPECT_CODE(Get(server.get(), record), StatusCode::kUnavailable);
  EXPECT_EQ(ended_, 1);
}

TEST_F(ZombieTest, AFlushOrCompactionOfALostTabletIsNoFact) {  // FAULTS.md L13
  auto zombie = Start("s1");
  auto heir = Start("s2");
  TabletRecord record = NewTablet(zombie.get());
  EXPECT_OK(Put(zombie.get(), record, "a", "1"));
  PauseAt("flush.before_state", [&] { Recover(zombie->id(), heir.get()); });
  EXPECT_CODE(zombie->Control()->Do(calls::FlushTablet{record.tablet_id}), StatusCode::kAborted);
  ASSERT_TRUE(WasPaused());
  EXPECT_EQ(Find().state.redo_sequence, 0u);
  EXPECT_TRUE(Find().state.FileIds().empty());
  EXPECT_TRUE(zombie->Reshape());  // it has noticed the loss and drops the tablet
  EXPECT_TRUE(zombie->Control()->Do(calls::Report{kMaster})->tablets.empty());
  EXPECT_EQ(All(heir.get()), "a=1");
}

TEST_F(ZombieTest, ASplitIsCommittedWhollyOrNotAtAll) {  // FAULTS.md P7, L14
  for (const char* point :
       {"tablet_split.after_close", "tablet_split.after_commit", "tablet_split.after_finish"}) {
    SCOPED_TRACE(point);
    uint64_t n = ++tablets_made_;
    std::string p = fmt::format("{}", n);
    auto zombie = Start("zombie" + p);
    auto heir = Start("heir" + p);
    TabletRecord record = NewTablet(zombie.get(), {p, fmt::format("{}", n + 1)});
    for (const char* row : {"a", "b"}) EXPECT_OK(Put(zombie.get(), record, p + row, row));
    PauseAt(point, [&] { Recover(zombie->id(), heir.get()); });
    Status split = zombie->Control()->Do(calls::SplitTablet{kMaster, record.tablet_id, p + "b"});
    ASSERT_TRUE(WasPaused());
    bool committed = std::string_view(point) != "tablet_split.after_close";
    EXPECT_EQ(split.code(), committed ? StatusCode::kOk : StatusCode::kAborted) << split;
    TabletRecord left = Find(p + "a");
    TabletRecord right = Find(p + "b");
    EXPECT_EQ(left.tablet_id == right.tablet_id, !committed);
    EXPECT_EQ(left.server, heir->id());
    EXPECT_EQ(*Get(heir.get(), left), committed ? p + "a=a" : p + "a=a " + p + "b=b");
    EXPECT_TRUE(*Get(heir.get(), right) == p + "b=b" || !committed);
    for (const TabletRecord& theirs : {left, right}) {
      EXPECT_CODE(Put(zombie.get(), theirs, p + "a", "late"), StatusCode::kOutOfRange);
    }
  }
}

TEST_F(ZombieTest, AMoveThatDiesHalfWayIsRecovered) {  // FAULTS.md P9
  for (const char* point :
       {"unload.after_first_flush", "unload.after_close", "unload.after_save"}) {
    SCOPED_TRACE(point);
    uint64_t n = ++tablets_made_;
    std::string p = fmt::format("{}", n);
    auto zombie = Start("zombie" + p);
    auto heir = Start("heir" + p);
    TabletRecord record = NewTablet(zombie.get(), {p, fmt::format("{}", n + 1)});
    EXPECT_OK(Put(zombie.get(), record, p + "a", "1"));
    PauseAt(point, [&] { Recover(zombie->id(), heir.get()); });
    // The outcome of this call is irrelevant; the zombie serves nothing.
    EXPECT_OK(
        zombie->Control()->Do(calls::UnloadTablet{kMaster, record.tablet_id, record.tablet_epoch}));
    ASSERT_TRUE(WasPaused());
    EXPECT_CODE(Put(zombie.get(), record, p + "b", "late"), StatusCode::kOutOfRange);
    EXPECT_CODE(Get(zombie.get(), record), StatusCode::kOutOfRange);
    EXPECT_EQ(*Get(heir.get(), Find(p)), p + "a=1");
  }
}

TEST_F(ZombieTest, AReadThatBeganBeforeTheMoveSeesNothingOlderThanTheMove) {
  auto source = Start("s1");
  auto target = Start("s2");
  TabletRecord record = NewTablet(source.get());
  EXPECT_OK(Put(source.get(), record, "a", "old"));
  ReadSpec read;
  read.rows = engine::RowSet::All();
  auto stream = source->Tablets()->Read({record.tablet_id, record.tablet_epoch}, read, {});
  ASSERT_TRUE(stream.ok()) << stream.status();
  Move(source.get(), target.get());
  EXPECT_OK(Put(target.get(), Find(), "a", "new"));
  EXPECT_EQ((*stream)->cell().value, "old");  // its snapshot was the newest when it was taken
  EXPECT_CODE(Get(source.get(), record), StatusCode::kOutOfRange);
  source.reset();  // the stream keeps the tablet's data alive
  (*stream)->Next();
  EXPECT_OK((*stream)->status());
}

// The network repeats a call (N9). A bug that the simulation found: under its temporary name, the
// second sort's file replaced the first one's.
TEST_F(ZombieTest, OneSegmentIsSortedTwiceAtOnce) {
  auto dead = Start("s1");
  TabletRecord record = NewTablet(dead.get());
  EXPECT_OK(Put(dead.get(), record, "a", "1"));
  ServerId id = dead->id();
  Die(&dead);
  auto heir = Start("s2");
  std::string sealed = store_paths::SealedLog("/db", id);
  EXPECT_OK(disk_.Rename(store_paths::Log("/db", id), sealed));
  auto seal = engine::SealLog(&disk_, sealed, kMaster);
  ASSERT_TRUE(seal.ok()) << seal.status();
  uint64_t segment = seal->segments.back().id.number;
  PauseAt("sort.before_publish", [&] {
    EXPECT_OK(heir->Control()->Do(calls::SortLogPart{kMaster, id, segment}));
  });
  EXPECT_OK(heir->Control()->Do(calls::SortLogPart{kMaster, id, segment}));
  ASSERT_TRUE(WasPaused());
  record = Find();
  record.logs.push_back(id);
  record = Assign(record, heir.get());
  EXPECT_EQ(*Get(heir.get(), record), "a=1");
}

}  // namespace
}  // namespace sippar::cluster
