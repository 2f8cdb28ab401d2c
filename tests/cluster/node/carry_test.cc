// Turns the store of one process into a cluster's, and a cluster's directory into a store of one
// process: all contents survive, even if the program is killed at any crash point.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <vector>

#include "cluster/lock/lock_paths.h"
#include "cluster/node/embedded_node.h"
#include "cluster/node/lock_picture.h"
#include "cluster/node/make_cluster.h"
#include "cluster/node/member.h"
#include "engine/base/crash_point.h"
#include "engine/base/random.h"
#include "tests/cluster/node/cluster_world.h"

namespace sippar::cluster {
namespace {

constexpr char kTarget[] = "zk://h:1/c";
constexpr char kStore[] = "/srv/c";
constexpr int64_t kHour = int64_t{3600} * kSecond;

TableSchema SchemaOf(const std::string& name) {
  TableSchema schema;
  schema.name = name;
  schema.families.emplace_back().name = "f";
  schema.Normalize();
  return schema;
}

Status Put(DataApi* data, const std::string& table, const std::string& row) {
  return data->Apply(table, RowMutation(row).Set("f", "q", "v" + row));
}

std::string RowsOf(DataApi* data, const std::string& table) {
  auto cells = data->Read(table, ReadSpec(), {});
  if (!cells.ok()) return cells.status().ToString();
  std::string rows;
  for (; (*cells)->Valid(); (*cells)->Next()) {
    rows += fmt::format("{}={} ", (*cells)->cell().row, (*cells)->cell().value);
  }
  return (*cells)->status().ok() ? rows : (*cells)->status().ToString();
}

// A lock service, and a disk with a store.
struct Place {
  Place()
      : Place(std::make_unique<engine::MemoryFileSystem>(),
              std::make_unique<engine::MemoryFileSystem>()) {
    EXPECT_OK(disk->CreateDir("/srv"));
    EXPECT_OK(disk->SyncDir("/"));
  }
  Place(std::unique_ptr<engine::MemoryFileSystem> of_locks,
        std::unique_ptr<engine::MemoryFileSystem> of_store)
      : lock_disk(std::move(of_locks)), disk(std::move(of_store)) {
    EndSessions();
  }
  // Ends all sessions, as after a long time without a process.
  void EndSessions() {
    locks.reset();
    locks = EmbeddedLockService::Open(lock_disk.get(), "/lock", engine::Clock::System()).value();
  }
  ClusterPlan Plan() const { return {locks.get(), disk.get(), kTarget, {kStore}}; }
  StatusOr<std::unique_ptr<Client>> OpenAlone(bool create = false) const {
    ClientOptions options;
    options.fs = disk.get();
    options.create_if_missing = create;
    options.memory_limit = 64 << 20;
    return OpenEmbedded(kStore, options);
  }
  std::unique_ptr<LocalCluster> Start() const {
    LocalClusterOptions options;
    options.directory = kStore;
    options.locks = locks.get();
    options.store.fs = disk.get();
    options.store.clock = engine::Clock::System();
    options.store.DivideMemory(64 << 20);
    options.lease_us = 1'500'000;
    options.policy.poll_us = 50'000;
    options.policy.retry_max_us = 100'000;
    auto cluster = LocalCluster::Open(options);
    EXPECT_OK(cluster);
    EXPECT_OK((*cluster)->StartServer("s1"));
    EXPECT_OK((*cluster)->StartServer("s2"));
    EXPECT_OK((*cluster)->StartMaster("m1"));
    EXPECT_OK((*cluster)->WaitForMaster(20 * kSecond));
    return *std::move(cluster);
  }
  // The disk as a killed process leaves it.
  std::unique_ptr<engine::MemoryFileSystem> Killed() const {
    engine::Random random(1);
    return disk->CrashClone(&random);
  }

  std::unique_ptr<engine::MemoryFileSystem> lock_disk;
  std::unique_ptr<engine::MemoryFileSystem> disk;
  std::unique_ptr<EmbeddedLockService> locks;
};

class CarryTest : public testing::Test {
 protected:
  ~CarryTest() override { engine::CrashPoints::Arm(nullptr); }

  // Makes the tables t and u, a dropped table that is kept, and a backup. `close` false: the store
  // stays unclosed, as after a kill.
  static void Fill(Place* place, bool close) {
    auto client = place->OpenAlone(/*create=*/true);
    ASSERT_TRUE(IsOk(client));
    AdminApi* admin = (*client)->admin();
    for (const char* name : {"t", "u", "kept"}) {
      EXPECT_OK(admin->Do(calls::CreateTable{SchemaOf(name), {"h"}}));
      for (const char* row : {"a", "k", "z"}) EXPECT_OK(Put((*client)->data(), name, row));
    }
    EXPECT_OK(
        admin->Do(calls::CreateBackup{"b", "t", engine::Clock::System()->NowMicros() + kHour}));
    EXPECT_OK(admin->Do(calls::DropAndKeepTable{"kept", kHour}));
    EXPECT_OK(Put((*client)->data(), "t", "late"));
    if (close) {
      EXPECT_OK((*client)->Close());
      return;
    }
    auto left = place->Killed();
    (*client).reset();
    place->disk = std::move(left);
  }

  static void ExpectRows(DataApi* data, const std::string& more = "") {
    EXPECT_EQ(RowsOf(data, "t"), "a=va k=vk late=vlate " + more + "z=vz ");
    EXPECT_EQ(RowsOf(data, "u"), "a=va k=vk z=vz ");
  }
  // Checks the rest: the kept table and the backup.
  static void ExpectRest(DataApi* data, AdminApi* admin) {
    EXPECT_OK(admin->Do(calls::UndeleteTable{"kept"}));
    EXPECT_EQ(RowsOf(data, "kept"), "a=va k=vk z=vz ");
    EXPECT_OK(admin->Do(calls::RestoreTable{"b", "restored"}));
    EXPECT_EQ(RowsOf(data, "restored"), "a=va k=vk z=vz ");
  }
  static void ExpectRefused(const Place& place) {
    Status refused = place.OpenAlone(/*create=*/true).status();
    EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
    EXPECT_EQ(MessageOf(refused),
              "store /srv/c: it belongs to cluster zk://h:1/c; use that as the target");
  }
  static uint64_t NextEpoch(const Place& place) {
    return place.locks->OpenSession({"test", 0}).value()->NextEpoch().value();
  }

  struct Kill {
    std::string point;
    Place place;
  };
  // The states of both disks if `work` is killed at each of its crash points.
  static std::vector<Kill> KillsOf(Place* place, const std::function<void()>& work) {
    std::vector<Kill> kills;
    engine::Random random(3);
    engine::CrashPoints::Arm([&](const char* name) {
      auto lock_disk = place->lock_disk->CrashClone(&random);
      auto disk = place->disk->CrashClone(&random);
      kills.push_back({name, Place(std::move(lock_disk), std::move(disk))});
    });
    work();
    engine::CrashPoints::Arm(nullptr);
    return kills;
  }
};

TEST_F(CarryTest, AStoreBecomesAClustersAndAStoreAgain) {
  for (bool close : {true, false}) {
    SCOPED_TRACE(close);
    Place place;
    Fill(&place, close);
    EXPECT_EQ(MakeClusterOf(place.Plan()).value(), true);
    EXPECT_EQ(MakeClusterOf(place.Plan()).value(), false);
    ExpectRefused(place);
    EXPECT_EQ(place.disk->Exists("/srv/c/lock").value(), false);
    EXPECT_EQ(place.disk->Exists("/srv/c/lock.carried").value(), false);
    auto cluster = place.Start();
    ExpectRows(cluster->data());
    EXPECT_OK(Put(cluster->data(), "t", "new"));
    if (close) EXPECT_OK(cluster->CloseAll());
    cluster.reset();
    place.EndSessions();

    EXPECT_OK(CollapseClusterOf(place.Plan()));
    EXPECT_CODE(CollapseClusterOf(place.Plan()), StatusCode::kNotFound);
    auto client = place.OpenAlone();
    ASSERT_TRUE(IsOk(client));
    ExpectRows((*client)->data(), "new=vnew ");
    ExpectRest((*client)->data(), (*client)->admin());
    EXPECT_OK((*client)->Close());
    // The cluster can be made a second time.
    EXPECT_EQ(MakeClusterOf(place.Plan()).value(), true);
    cluster = place.Start();
    ExpectRows(cluster->data(), "new=vnew ");
  }
}

TEST_F(CarryTest, ACarriedClusterHasTheKeptTableAndTheBackup) {
  Place place;
  Fill(&place, true);
  EXPECT_OK(MakeClusterOf(place.Plan()));
  auto cluster = place.Start();
  ExpectRest(cluster->data(), cluster->admin().get());
}

TEST_F(CarryTest, NumbersNeverRepeat) {
  Place place;
  Fill(&place, true);
  uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    {
      auto alone =
          EmbeddedLockService::Open(place.disk.get(), "/srv/c/lock", engine::Clock::System());
      ASSERT_TRUE(IsOk(alone));
      const uint64_t next = (*alone)->OpenSession({"test", 0}).value()->NextEpoch().value();
      EXPECT_GT(next, last);
      last = next;
    }
    EXPECT_OK(MakeClusterOf(place.Plan()));
    EXPECT_GT(NextEpoch(place), last);
    last = NextEpoch(place);
    EXPECT_OK(CollapseClusterOf(place.Plan()));
    // A new lock service, which has given out no numbers yet.
    place.lock_disk = std::make_unique<engine::MemoryFileSystem>();
    place.EndSessions();
  }
}

TEST_F(CarryTest, AStoreThatAProcessHasOpenIsRefused) {
  Place place;
  Fill(&place, true);
  auto client = place.OpenAlone();
  ASSERT_TRUE(IsOk(client));
  EXPECT_CODE(MakeClusterOf(place.Plan()), StatusCode::kUnavailable);
  EXPECT_OK(Put((*client)->data(), "t", "more"));
  EXPECT_OK((*client)->Close());
  EXPECT_EQ(MakeClusterOf(place.Plan()).value(), true);
  ExpectRows(place.Start()->data(), "more=vmore ");
}

// A killed program holds the place until its session ends; the next program waits for that.
TEST_F(CarryTest, TwoCarriesWaitForEachOther) {
  Place place;
  Fill(&place, true);
  SessionOptions killed{"killed", kSecond, engine::Clock::System()};
  auto session = place.locks->OpenSession(killed).value();
  EXPECT_OK(session->Create(lock_paths::Carrier(), "pid 1", LockFileKind::kEphemeral));
  ClusterPlan plan = place.Plan();
  EXPECT_EQ(MakeClusterOf(plan).value(), true);
  // If the other program is alive, the error names it.
  killed.timeout_us = 0;
  session = place.locks->OpenSession(killed).value();
  EXPECT_OK(session->Create(lock_paths::Carrier(), "pid 1", LockFileKind::kEphemeral));
  plan.session_us = kSecond / 5;
  Status refused = CollapseClusterOf(plan);
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(MessageOf(refused).find("killed"), std::string::npos) << refused;
}

TEST_F(CarryTest, ALockServiceOfAnotherClusterIsRefused) {
  Place place;
  Fill(&place, true);
  Place other;
  EXPECT_OK(MakeClusterOf(other.Plan()));
  ClusterPlan plan = place.Plan();
  plan.locks = other.locks.get();
  EXPECT_CODE(MakeClusterOf(plan), StatusCode::kFailedPrecondition);
  // It is rejected even if only the record of its store's place is missing.
  auto session = other.locks->OpenSession({"test", 0}).value();
  EXPECT_OK(session->Remove(lock_paths::Store(), 2));
  EXPECT_CODE(MakeClusterOf(plan), StatusCode::kFailedPrecondition);
  EXPECT_OK(place.OpenAlone());
}

TEST_F(CarryTest, AClusterThatRunsIsNotCollapsed) {
  Place place;
  Fill(&place, true);
  EXPECT_OK(MakeClusterOf(place.Plan()));
  auto cluster = place.Start();
  Status refused = CollapseClusterOf(place.Plan());
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(MessageOf(refused).find("servers/s1."), std::string::npos) << refused;
  EXPECT_OK(Put(cluster->data(), "t", "more"));
  ExpectRows(cluster->data(), "more=vmore ");
  ExpectRefused(place);
  ClusterPlan plan = place.Plan();
  plan.store.directory = "/srv/other";
  EXPECT_CODE(CollapseClusterOf(plan), StatusCode::kFailedPrecondition);
}

TEST_F(CarryTest, AnEmptyClusterCollapses) {
  Place place;
  EXPECT_OK(MakeClusterOf(place.Plan()));
  EXPECT_OK(CollapseClusterOf(place.Plan()));
  auto client = place.OpenAlone();
  ASSERT_TRUE(IsOk(client));
  EXPECT_OK((*client)->admin()->Do(calls::CreateTable{SchemaOf("t"), {}}));
}

// After a killed conversion the store may be opened as a directory; later writes are converted,
// too.
TEST_F(CarryTest, ACarryCanBeKilledAtEachPointAndRepeated) {
  Place place;
  Fill(&place, false);
  std::vector<Kill> kills =
      KillsOf(&place, [&] { EXPECT_EQ(MakeClusterOf(place.Plan()).value(), true); });
  std::set<std::string> points;
  std::set<bool> opens;
  for (Kill& kill : kills) {
    SCOPED_TRACE(kill.point);
    const bool is_first = points.insert(kill.point).second;
    std::string more;
    if (is_first) {
      auto client = kill.place.OpenAlone();
      opens.insert(client.ok());
      if (client.ok()) {
        ExpectRows((*client)->data());
        EXPECT_OK(Put((*client)->data(), "t", "more"));
        more = "more=vmore ";
        EXPECT_OK((*client)->Close());
      }
    }
    EXPECT_OK(MakeClusterOf(kill.place.Plan()));
    ExpectRefused(kill.place);
    EXPECT_EQ(kill.place.disk->Exists("/srv/c/lock").value(), false);
    if (is_first) ExpectRows(kill.place.Start()->data(), more);
  }
  for (const char* name :
       {"carry.after_mark", "carry.after_claim", "carry.before_file", "carry.before_commit",
        "carry.after_commit", "carry.after_rename", "carry.removing", "carry.before_store"}) {
    EXPECT_TRUE(points.contains(name)) << name;
  }
}

TEST_F(CarryTest, ACollapseCanBeKilledAtEachPointAndRepeated) {
  Place place;
  Fill(&place, true);
  EXPECT_OK(MakeClusterOf(place.Plan()));
  place.Start().reset();  // leaves servers that seem to have died
  place.EndSessions();
  std::vector<Kill> kills = KillsOf(&place, [&] { EXPECT_OK(CollapseClusterOf(place.Plan())); });
  std::set<std::string> points;
  std::set<bool> opens;
  for (Kill& kill : kills) {
    SCOPED_TRACE(kill.point);
    const bool is_first = points.insert(kill.point).second;
    std::string more;
    if (is_first) {
      auto client = kill.place.OpenAlone();
      opens.insert(client.ok());
      if (client.ok()) {
        ExpectRows((*client)->data());
        EXPECT_OK(Put((*client)->data(), "t", "more"));
        more = "more=vmore ";
        EXPECT_OK((*client)->Close());
      }
    }
    Status again = CollapseClusterOf(kill.place.Plan());
    // Killed at its very end, the conversion left nothing to do.
    if (again.code() != StatusCode::kNotFound) EXPECT_OK(again);
    EXPECT_CODE(CollapseClusterOf(kill.place.Plan()), StatusCode::kNotFound);
    if (!is_first) continue;
    auto client = kill.place.OpenAlone();
    ASSERT_TRUE(IsOk(client));
    ExpectRows((*client)->data(), more);
  }
  for (const char* name : {"collapse.before_mark", "collapse.after_mark", "carry.before_file",
                           "collapse.before_commit", "collapse.committing", "collapse.after_commit",
                           "carry.before_removal", "collapse.before_end"}) {
    EXPECT_TRUE(points.contains(name)) << name;
  }
}

// A collapse is killed at its end and repeated after the store has become another cluster's: that
// cluster keeps its directory.
TEST_F(CarryTest, ARepeatedCollapseLeavesTheNextClusterAlone) {
  for (const char* at : {"collapse.after_commit", "collapse.before_end"}) {
    SCOPED_TRACE(at);
    Place place;
    Fill(&place, true);
    EXPECT_OK(MakeClusterOf(place.Plan()));
    place.Start().reset();
    place.EndSessions();
    std::vector<Kill> kills = KillsOf(&place, [&] { EXPECT_OK(CollapseClusterOf(place.Plan())); });
    auto kill =
        std::find_if(kills.begin(), kills.end(), [&](const Kill& k) { return k.point == at; });
    ASSERT_NE(kill, kills.end());
    Place other;
    ClusterPlan next{other.locks.get(), kill->place.disk.get(), "zk://h:1/next", {kStore}};
    EXPECT_OK(MakeClusterOf(next));

    EXPECT_OK(CollapseClusterOf(kill->place.Plan()));
    Status refused = kill->place.OpenAlone().status();
    EXPECT_NE(MessageOf(refused).find("belongs to cluster zk://h:1/next"), std::string::npos)
        << refused;
    EXPECT_OK(CollapseClusterOf(next));
    auto client = kill->place.OpenAlone();
    ASSERT_TRUE(IsOk(client));
    ExpectRows((*client)->data());
  }
}

// A server and a master that read the cluster's records before the collapse, and get their locks
// after it.
TEST_F(CarryTest, AMemberThatComesBackAfterACollapseEnds) {
  Place place;
  Fill(&place, true);
  EXPECT_OK(MakeClusterOf(place.Plan()));
  EXPECT_OK(CollapseClusterOf(place.Plan()));
  TabletServerOptions server;
  server.name = "late";
  server.directory = kStore;
  server.store_mark = "posix:/srv/c";
  server.store.fs = place.disk.get();
  server.locks = place.locks.get();
  server.lease_us = 10 * kSecond;
  server.end_process = [](const char*) {};
  Status refused = TabletServer::Start(server).status();
  EXPECT_EQ(refused.code(), StatusCode::kAborted) << refused;
  auto session = place.locks->OpenSession({"test", 0}).value();
  EXPECT_EQ(session->List(lock_paths::Servers()).value().size(), 0U);

  master::MasterDriverOptions master;
  master.name = "late";
  master.locks = place.locks.get();
  master.session_us = 10 * kSecond;
  master.store_mark = "posix:/srv/c";
  master.places.clock = engine::Clock::System();
  EXPECT_OK(session->Create(lock_paths::MasterLock(), "", LockFileKind::kLasting));
  master::MasterDriver driver(master);
  for (int i = 0; i < 50; ++i) {
    engine::Clock::System()->SleepMicros(10'000);
    EXPECT_FALSE(driver.Reigns());
  }
  driver.Stop();
  auto client = place.OpenAlone();
  ASSERT_TRUE(IsOk(client));
  ExpectRows((*client)->data());
}

// After its first write, the cluster's name belongs to the init that began; before that, any init
// may take it.
TEST_F(CarryTest, OfTwoInitsWithTwoDirectoriesTheFirstGoesOn) {
  Place place;
  Fill(&place, true);
  std::vector<Kill> kills =
      KillsOf(&place, [&] { EXPECT_EQ(MakeClusterOf(place.Plan()).value(), true); });
  bool is_late = false;
  for (Kill& kill : kills) {
    SCOPED_TRACE(kill.point);
    ClusterPlan other = kill.place.Plan();
    other.store.directory = "/srv/other";
    const bool is_others = MakeClusterOf(other).ok();
    is_late |= kill.point == "carry.after_mark";
    EXPECT_FALSE(is_others && is_late);
    if (is_others) {
      EXPECT_CODE(MakeClusterOf(kill.place.Plan()), StatusCode::kFailedPrecondition);
      auto client = kill.place.OpenAlone();
      ASSERT_TRUE(IsOk(client));
      ExpectRows((*client)->data());
    } else {
      EXPECT_OK(MakeClusterOf(kill.place.Plan()));
      ExpectRefused(kill.place);
    }
  }
  EXPECT_TRUE(is_late);
}

// Members do not start while their cluster is being collapsed.
TEST_F(CarryTest, AClusterThatIsBeingCollapsedSaysSo) {
  Place place;
  EXPECT_OK(MakeClusterOf(place.Plan()));
  std::vector<Kill> kills = KillsOf(&place, [&] { EXPECT_OK(CollapseClusterOf(place.Plan())); });
  for (Kill& kill : kills) {
    if (kill.point != "collapse.before_commit") continue;
    std::shared_ptr<LockService> locks = std::move(kill.place.locks);
    Status refused = ClusterSite::OpenIn(locks, kTarget, {}).status();
    EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(MessageOf(refused).find("sippar admin collapse"), std::string::npos) << refused;
    return;
  }
  FAIL() << "no such point";
}

// Processes that call each other over sockets, on a directory of this machine.
TEST_F(CarryTest, MembersServeWhatOneProcessWrote) {
  const std::string directory = testing::TempDir() + "carry_test." + std::to_string(::getpid());
  std::filesystem::remove_all(directory);
  ClientOptions options;
  options.create_if_missing = true;
  options.memory_limit = 64 << 20;
  {
    auto client = OpenEmbedded(directory, options);
    ASSERT_TRUE(IsOk(client));
    EXPECT_OK((*client)->admin()->Do(calls::CreateTable{SchemaOf("t"), {"h"}}));
    for (const char* row : {"a", "k"}) EXPECT_OK(Put((*client)->data(), "t", row));
    EXPECT_OK((*client)->Close());
  }
  engine::MemoryFileSystem lock_disk;
  std::shared_ptr<LockService> locks =
      EmbeddedLockService::Open(&lock_disk, "/lock", engine::Clock::System()).value();
  EXPECT_EQ(MakeClusterIn(locks.get(), "test", "posix:" + directory, {}).value(), true);
  {
    std::shared_ptr<ClusterSite> site = ClusterSite::OpenIn(locks, "test", {}).value();
    MemberOptions member;
    member.name = "s1";
    member.is_server = true;
    member.is_master = true;
    member.lease_us = 2 * kSecond;
    member.memory_limit = 64 << 20;
    member.end_process = [](const char*) {};
    auto started = Member::Start(site.get(), member);
    ASSERT_TRUE(IsOk(started));
    auto client = OpenClusterClient(site, nullptr).value();
    EXPECT_EQ(RowsOf(client->data(), "t"), "a=va k=vk ");
    EXPECT_OK(Put(client->data(), "t", "z"));
    client.reset();
    EXPECT_OK((*started)->Leave(Ending::kAllServers));
  }
  std::unique_ptr<engine::FileSystem> fs = engine::NewPosixFileSystem();
  // The member's session may end only after its timeout.
  EXPECT_OK(CollapseClusterOf({locks.get(), fs.get(), "test", {directory}}));
  auto client = OpenEmbedded(directory, options);
  ASSERT_TRUE(IsOk(client));
  EXPECT_EQ(RowsOf((*client)->data(), "t"), "a=va k=vk z=vz ");
  (*client).reset();
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace sippar::cluster
