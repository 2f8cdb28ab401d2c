// Tests the contract of lock_service.h, call by call.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/lock/lock_paths.h"
#include "engine/base/thread.h"
#include "tests/cluster/lock/contract_world.h"

namespace sippar::cluster {
namespace {

constexpr auto kLasting = LockFileKind::kLasting;
constexpr auto kLocked = LockFileKind::kLocked;
constexpr auto kEphemeral = LockFileKind::kEphemeral;

class LockServiceTest : public InContractWorld {};

TEST_F(LockServiceTest, FilesHaveVersionsAndChangesNameThem) {
  auto a = world.Session("a");
  EXPECT_OK(a->Create("root", "one", kLasting));
  EXPECT_CODE(a->Create("root", "two", kLasting), StatusCode::kAlreadyExists);
  EXPECT_EQ(a->Write("root", "two", 1).value(), 2u);
  EXPECT_CODE(a->Write("root", "three", 1), StatusCode::kAborted);
  EXPECT_EQ(a->Read("root")->content, "two");
  EXPECT_EQ(a->Read("root", Freshness::kCached)->version, 2u);
  EXPECT_CODE(a->Remove("root", 1), StatusCode::kAborted);
  EXPECT_OK(a->Remove("root", 2));
  EXPECT_CODE(a->Read("root"), StatusCode::kNotFound);
  EXPECT_CODE(a->Write("root", "four", 2), StatusCode::kNotFound);
}

TEST_F(LockServiceTest, ListNamesWhatIsRightBelow) {
  auto a = world.Session("a");
  for (const char* path : {"servers/b.2", "servers/a.10", "servers.x", "serversx/c", "a/servers/d",
                           "servers/deep/er"}) {
    EXPECT_OK(a->Create(path, "", kLasting));
  }
  EXPECT_EQ(a->List("servers").value(), (std::vector<std::string>{"a.10", "b.2"}));
  EXPECT_EQ(a->List("tables").value(), std::vector<std::string>());
}

TEST_F(LockServiceTest, LastingFilesOutliveTheProcessAndLocksDoNot) {
  auto a = world.Session("a");
  EXPECT_OK(a->Create("servers/a.1", "host:1", kLocked));
  EXPECT_OK(a->Write("servers/a.1", "host:2", 1));
  EXPECT_OK(a->Create("gateways/a", "host:3", kEphemeral));
  a.reset();
  world.Restart();
  auto b = world.Session("b");
  auto file = b->Read("servers/a.1");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->content, "host:2");
  EXPECT_EQ(file->version, 2u);
  EXPECT_EQ(file->holder, 0u);
  EXPECT_CODE(b->Read("gateways/a"), StatusCode::kNotFound);
}

TEST_F(LockServiceTest, AFenceRisesAtEachAcquisitionOfAnyLockAndAcrossRestarts) {
  uint64_t last = 0;
  for (int life = 0; life < 5; ++life) {
    auto a = world.Session("a");
    if (life == 0) EXPECT_OK(a->Create("master", "", kLasting));
    for (int i = 0; i < 20; ++i) {
      uint64_t fence = a->Acquire("master").value();
      EXPECT_GT(fence, last);
      EXPECT_EQ(a->Acquire("master").value(), fence) << "asking again is no new acquisition";
      EXPECT_EQ(a->Read("master")->fence, fence);
      last = fence;
      EXPECT_OK(a->Release("master"));
      uint64_t locked = a->Create("gateways/x", "", kEphemeral).value();
      EXPECT_GT(locked, last);
      last = locked;
      EXPECT_OK(a->Remove("gateways/x", 1));
    }
    a.reset();
    world.Restart();
  }
}

TEST_F(LockServiceTest, ALockHasOneHolderAndTheRefusalNamesIt) {
  auto a = world.Session("tablet server a on host1");
  auto b = world.Session("b");
  EXPECT_OK(a->Create("master", "", kLocked));
  Status refused = b->Acquire("master").status();
  EXPECT_EQ(refused.code(), StatusCode::kAlreadyExists);
  EXPECT_NE(refused.ToString().find("tablet server a on host1"), std::string::npos) << refused;
  EXPECT_CODE(b->Release("master"), StatusCode::kAborted);
  EXPECT_OK(a->Release("master"));
  EXPECT_OK(b->Acquire("master"));
  EXPECT_EQ(a->Read("master")->holder, b->id());
  EXPECT_CODE(a->Acquire("nothing"), StatusCode::kNotFound);
}

TEST_F(LockServiceTest, AnEphemeralFileIsHeldByItsCreatorUntilRemoved) {
  auto a = world.Session("a");
  auto b = world.Session("b");
  EXPECT_OK(a->Create("gateways/g", "1", kEphemeral));
  EXPECT_CODE(b->Acquire("gateways/g"), StatusCode::kAlreadyExists);
  EXPECT_CODE(a->Release("gateways/g"), StatusCode::kInvalidArgument);
  EXPECT_EQ(b->Write("gateways/g", "2", 1).value(), 2u);
  EXPECT_OK(a->Close());
  EXPECT_CODE(b->Read("gateways/g"), StatusCode::kNotFound);
}

TEST_F(LockServiceTest, RemovingAFileTakesItsLockAway) {
  auto a = world.Session("a");
  auto master = world.Session("master");
  EXPECT_OK(a->Create("servers/a.1", "", kLocked));
  EXPECT_OK(master->Remove("servers/a.1", 1));
  EXPECT_CODE(a->Read("servers/a.1"), StatusCode::kNotFound);
  EXPECT_CODE(a->Acquire("servers/a.1"), StatusCode::kNotFound);
}

TEST_F(LockServiceTest, ASessionWithoutHeartbeatEndsAtItsTimeoutAndNotBefore) {
  auto a = world.Session("a", 10 * kSecond);
  auto b = world.Session("b", 100 * kSecond);
  EXPECT_OK(a->Create("master", "", kLocked));
  EXPECT_OK(a->Create("gateways/a", "", kEphemeral));
  world.Pass(9 * kSecond);
  int64_t over_at = a->Heartbeat().value();
  EXPECT_EQ(over_at, world.clock->MonotonicNanos() + 10 * kSecond * 1000 - world.early_nanos());
  world.Pass(10 * kSecond - 1);
  EXPECT_CODE(b->Acquire("master"), StatusCode::kAlreadyExists);
  world.Pass(1);
  EXPECT_OK(b->Acquire("master"));
  EXPECT_CODE(b->Read("gateways/a"), StatusCode::kNotFound);
}

TEST_F(LockServiceTest, EveryCallOfAnEndedSessionSaysSoAndDoesNothing) {
  auto a = world.Session("a", kSecond);
  auto b = world.Session("b", 100 * kSecond);
  EXPECT_OK(b->Create("root", "", kLasting));
  world.Pass(kSecond);
  auto is_over = [](const auto& answer) {
    return StatusIn(answer).code() == StatusCode::kFailedPrecondition &&
           HasCause(StatusIn(answer), Cause::kSessionOver);
  };
  EXPECT_TRUE(is_over(a->Heartbeat()));
  EXPECT_TRUE(is_over(a->Create("x", "", kLasting)));
  EXPECT_TRUE(is_over(a->Read("root")));
  EXPECT_TRUE(is_over(a->Write("root", "", 1)));
  EXPECT_TRUE(is_over(a->Remove("root", 1)));
  EXPECT_TRUE(is_over(a->List("servers")));
  EXPECT_TRUE(is_over(a->ReadDirectory("servers")));
  EXPECT_TRUE(is_over(a->Acquire("root")));
  EXPECT_TRUE(is_over(a->Release("root")));
  EXPECT_TRUE(is_over(a->Watch("root", [] {})));
  EXPECT_TRUE(is_over(a->NextEpoch()));
  EXPECT_TRUE(is_over(a->RaiseEpoch(1'000)));
  EXPECT_OK(a->Close());
  EXPECT_CODE(b->Read("x"), StatusCode::kNotFound);
  EXPECT_EQ(b->Read("root")->version, 1u);
}

TEST_F(LockServiceTest, ASessionThatIsDroppedTimesOutAndOneThatIsClosedEndsAtOnce) {
  auto crashed = world.Session("crashed", 5 * kSecond);
  auto closed = world.Session("closed", 5 * kSecond);
  auto endless = world.Session("endless", 0);
  auto other = world.Session("other", 100 * kSecond);
  EXPECT_OK(crashed->Create("servers/a.1", "", kLocked));
  EXPECT_OK(closed->Create("servers/b.2", "", kLocked));
  EXPECT_OK(endless->Create("servers/c.3", "", kLocked));
  EXPECT_EQ(endless->Heartbeat().value(), INT64_MAX);
  crashed.reset();
  EXPECT_OK(closed->Close());
  EXPECT_OK(closed->Close()) << "twice is harmless";
  EXPECT_NE(other->Read("servers/a.1")->holder, 0u);
  EXPECT_EQ(other->Read("servers/b.2")->holder, 0u);
  world.Pass(5 * kSecond);
  EXPECT_EQ(other->Read("servers/a.1")->holder, 0u);
  EXPECT_NE(other->Read("servers/c.3")->holder, 0u) << "no timeout, no end";
  endless.reset();
  EXPECT_EQ(other->Read("servers/c.3")->holder, 0u);
}

TEST_F(LockServiceTest, AWatchCallsOnceAfterAChangeOfTheFileOrTheNamesBelow) {
  auto a = world.Session("a", 0);
  auto b = world.Session("b", 0);
  int file_calls = 0;
  int directory_calls = 0;
  auto arm = [&] {
    EXPECT_OK(a->Watch("servers/b.1", [&] { ++file_calls; }));
    EXPECT_OK(a->Watch("servers", [&] { ++directory_calls; }));
  };
  arm();
  EXPECT_OK(b->Create("servers/b.1", "", kLocked));
  EXPECT_EQ(file_calls, 1);
  EXPECT_EQ(directory_calls, 1);
  EXPECT_OK(b->Write("servers/b.1", "x", 1));
  EXPECT_EQ(file_calls, 1) << "fired watches are gone";
  arm();
  EXPECT_OK(b->Write("servers/b.1", "y", 2));
  EXPECT_EQ(file_calls, 2);
  EXPECT_EQ(directory_calls, 1) << "no name has changed";
  arm();
  EXPECT_OK(b->Close());
  EXPECT_EQ(file_calls, 3) << "its lock is free";
  EXPECT_OK(a->Remove("servers/b.1", 3));
  EXPECT_EQ(directory_calls, 2);
  EXPECT_EQ(file_calls, 3);
  arm();
  EXPECT_OK(a->Close());
  auto c = world.Session("c", 0);
  EXPECT_OK(c->Create("servers/b.1", "", kLasting));
  EXPECT_EQ(file_calls + directory_calls, 5) << "nobody is called after Close";
}

TEST_F(LockServiceTest, BadPathsAndLargeContentsAreRefused) {
  auto a = world.Session("a");
  for (const std::string& path :
       {std::string(), std::string("/a"), std::string("a/"), std::string("a//b"), std::string(".."),
        std::string("a/.hidden"), std::string("a b"), std::string("a+b"), std::string("x.tmp"),
        std::string("a/b/c/d"), std::string(201, 'a'), std::string("a\0b", 3), std::string("\xff"),
        lock_paths::EpochCounter()}) {
    EXPECT_CODE(a->Create(path, "", kLasting), StatusCode::kInvalidArgument);
    EXPECT_CODE(a->Write(path, "", 1), StatusCode::kInvalidArgument);
    EXPECT_CODE(a->Acquire(path), StatusCode::kInvalidArgument);
    EXPECT_CODE(a->Remove(path, 1), StatusCode::kInvalidArgument);
  }
  std::string most(kLockFileSizeMax, '\0');
  EXPECT_OK(a->Create("tables/1", most, kLasting));
  EXPECT_CODE(a->Create("tables/2", most + "x", kLasting), StatusCode::kInvalidArgument);
  EXPECT_CODE(a->Write("tables/1", most + "x", 1), StatusCode::kInvalidArgument);
  EXPECT_OK(a->Create(std::string(200, 'a'), "", kLasting));
  a.reset();
  world.Restart();
  EXPECT_EQ(world.Session("b")->Read("tables/1")->content, most);
}

TEST(LockPaths, NamesGoToPathsAndBack) {
  EXPECT_EQ(lock_paths::Server({"ts-1", 17}), "servers/ts-1.17");
  EXPECT_EQ(ServerId::Parse("ts-1.17").value(), (ServerId{"ts-1", 17}));
  EXPECT_EQ(lock_paths::Table(4711), "tables/4711");
  EXPECT_EQ(lock_paths::ParseTable("4711").value(), 4711u);
  for (const char* name : {"", "x", "12x", "-1", "99999999999999999999"}) {
    EXPECT_CODE(lock_paths::ParseTable(name), StatusCode::kInvalidArgument);
  }
  for (const std::string& path :
       {lock_paths::ClusterId(), lock_paths::MasterLock(), lock_paths::RootLocation(),
        lock_paths::Server({"a", 1}), lock_paths::Table(1), lock_paths::EpochCounter()}) {
    EXPECT_OK(lock_paths::CheckPath(path));
  }
}

// Many threads, each with its own session: the lock excludes, and fences rise in the order in which
// it is held.
TEST_F(LockServiceTest, ThreadsExcludeEachOther) {
  EXPECT_OK(world.Session("init", 0)->Create("master", "", kLasting));
  std::atomic<int> inside{0};
  std::atomic<uint64_t> last_fence{0};
  std::atomic<int> acquired{0};
  const int acquisitions = 200 / world.slowness();
  std::vector<engine::Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(fmt::format("t{}", i), [&, i] {
      auto session = world.Session(fmt::format("s{}", i), 0);
      while (acquired < acquisitions) {
        EXPECT_OK(session->Watch("master", [] {}));
        auto fence = session->Acquire("master");
        if (!fence.ok()) continue;
        EXPECT_EQ(++inside, 1);
        EXPECT_GT(*fence, last_fence.exchange(*fence));
        ++acquired;
        --inside;
        EXPECT_OK(session->Release("master"));
      }
    });
  }
  threads.clear();
  EXPECT_GE(acquired, acquisitions);
}

}  // namespace
}  // namespace sippar::cluster
