// Properties that ZooKeeper adds to the contract: negotiated timeouts, secrets, and a tree that
// other clients may change.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/lock/lease_check.h"
#include "cluster/lock/zookeeper/node_paths.h"
#include "cluster/lock/zookeeper/zookeeper_handle.h"
#include "tests/cluster/lock/zookeeper/zookeeper_world.h"

namespace sippar::cluster {
namespace {

using zookeeper::Change;
using zookeeper::ZooKeeperHandle;

int64_t Soon() { return engine::Clock::System()->MonotonicNanos() + 10 * kSecond * 1000; }

// A plain ZooKeeper client that does not use the lock service's code.
std::unique_ptr<ZooKeeperHandle> Stranger(const ZooKeeperOptions& options) {
  auto handle = ZooKeeperHandle::Open({options.hosts, "", 10 * kSecond}, nullptr);
  EXPECT_TRUE(handle.ok()) << handle.status();
  EXPECT_OK((*handle)->WaitConnected(Soon()));
  return std::move(*handle);
}

TEST(ZooKeeperSession, ATimeoutBelowFourTicksOrAboveTheMembersLongestIsRefused) {
  auto service = NewService(FreshCluster());
  EXPECT_CODE(OpenSession(service.get(), "none", 0), StatusCode::kInvalidArgument);
  Status refused = OpenSession(service.get(), "short", 4 * kTickMicros - 1'000).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << refused;
  EXPECT_NE(refused.ToString().find("--lease 2s"), std::string::npos) << refused;
  Status longer = OpenSession(service.get(), "longer", 60 * kSecond + 1'000).status();
  EXPECT_EQ(longer.code(), StatusCode::kInvalidArgument) << longer;
  for (const char* part : {"60000 ms", "60001 ms", "maxSessionTimeout", "--lease 60s"}) {
    EXPECT_NE(longer.ToString().find(part), std::string::npos) << part << " in " << longer;
  }
  engine::Clock* clock = engine::Clock::System();
  EXPECT_EQ(CheckLease(service.get(), 60 * kSecond + 1'000, clock), longer);
  EXPECT_OK(CheckLease(service.get(), kDefaultLeaseMicros, clock));
  // 60 s is the longest timeout that the members allow.
  for (int64_t agreed : {6 * kSecond, 60 * kSecond}) {
    auto session = OpenSession(service.get(), "long", agreed);
    ASSERT_TRUE(session.ok()) << session.status();
    int64_t before_nanos = clock->MonotonicNanos();
    int64_t over_at_nanos = (*session)->Heartbeat().value();
    int64_t after_nanos = clock->MonotonicNanos();
    EXPECT_GE(over_at_nanos, before_nanos + (agreed - kTickMicros) * 1000);
    EXPECT_LE(over_at_nanos, after_nanos + (agreed - kTickMicros) * 1000);
    EXPECT_OK((*session)->Close());
  }
}

TEST(ZooKeeperSession, ADroppedSessionTimesOutAndAClosedOneEndsAtOnce) {
  auto service = NewService(FreshCluster());
  auto dropped = OpenSession(service.get(), "dropped", 4 * kSecond).value();
  auto closed = OpenSession(service.get(), "closed", 10 * kSecond).value();
  auto other = OpenSession(service.get(), "other", 10 * kSecond).value();
  EXPECT_OK(dropped->Create("servers/a.1", "", LockFileKind::kLocked));
  EXPECT_OK(closed->Create("servers/b.2", "", LockFileKind::kLocked));
  EXPECT_OK(closed->Close());
  EXPECT_EQ(other->Read("servers/b.2")->holder, 0u);
  engine::Clock* clock = engine::Clock::System();
  int64_t over_at_nanos = dropped->Heartbeat().value();
  dropped.reset();
  EXPECT_NE(other->Read("servers/a.1")->holder, 0u);
  while (other->Read("servers/a.1")->holder != 0) {
    clock->SleepMicros(20'000);
    ASSERT_LT(clock->MonotonicNanos(), over_at_nanos + 10 * kSecond * 1000);
  }
  EXPECT_GE(clock->MonotonicNanos(), over_at_nanos) << "not earlier than the heartbeat promised";
  EXPECT_OK(other->Close());
}

// If the client closes the connection with unread answers, the connection is reset, and the member
// may never see the end of the session.
TEST(ZooKeeperSession, ASessionThatIsInUseEndsAtOnceWhenItIsClosed) {
  auto service = NewService(FreshCluster());
  auto other = OpenSession(service.get(), "other", 30 * kSecond).value();
  for (int i = 0; i < 15; ++i) {
    auto closed = OpenSession(service.get(), "closed", 30 * kSecond).value();
    const std::string file = fmt::format("servers/b.{}", i);
    EXPECT_OK(closed->Create(file, std::string(4000, 'x'), LockFileKind::kLocked));
    std::vector<engine::Thread> readers;
    for (int n = 0; n < 4; ++n) {
      readers.emplace_back(fmt::format("reader{}", n), [&] {
        while (closed->Read(file).ok()) {
        }
      });
    }
    engine::Clock::System()->SleepMicros(2'000);
    const int64_t begun_nanos = engine::Clock::System()->MonotonicNanos();
    EXPECT_OK(closed->Close());
    EXPECT_LT(engine::Clock::System()->MonotonicNanos() - begun_nanos, 10 * kSecond * 1000);
    readers.clear();
    EXPECT_EQ(other->Read(file)->holder, 0u);
  }
  EXPECT_OK(other->Close());
}

// The C client drops some waiting requests when it is closed; their callers must still get an
// answer.
TEST(ZooKeeperSession, ARequestWithoutAnAnswerIsOverWhenItsClientIsClosed) {
  ZooKeeperOptions cluster = FreshCluster();
  EXPECT_OK(OpenSession(NewService(cluster).get(), "makes the tree", 10 * kSecond));
  for (int i = 0; i < 30; ++i) {
    auto stranger = Stranger(cluster);
    std::vector<ZooKeeperHandle::Pending> pending;
    for (int n = 0; n < 40; ++n) pending.push_back(stranger->Get("/" + cluster.cluster));
    stranger->Close();
    for (const auto& each : pending) {
      const int code = each->Wait(/*deadline_nanos=*/0).code;
      EXPECT_TRUE(code == zookeeper::kOk || code == zookeeper::kClosing) << code;
    }
  }
}

TEST(ZooKeeperSession, EpochsRiseAcrossSessionsAndEndBelow2To32) {
  ZooKeeperOptions cluster = FreshCluster();
  auto service = NewService(cluster);
  auto a = OpenSession(service.get(), "a", 10 * kSecond).value();
  auto b = OpenSession(service.get(), "b", 10 * kSecond).value();
  uint64_t last = std::max(a->id(), b->id());
  for (int i = 0; i < 20; ++i) {
    uint64_t epoch = (i % 3 == 0 ? a : b)->NextEpoch().value();
    EXPECT_GT(epoch, last);
    last = epoch;
  }
  EXPECT_OK(a->RaiseEpoch(1'000));
  EXPECT_EQ(b->NextEpoch().value(), 1'001u);
  EXPECT_OK(a->RaiseEpoch(3)) << "never down";
  EXPECT_EQ(b->NextEpoch().value(), 1'002u);
  EXPECT_CODE(a->RaiseEpoch(uint64_t{1} << 32), StatusCode::kInvalidArgument);
  EXPECT_OK(a->RaiseEpoch((uint64_t{1} << 32) - 3));
  EXPECT_EQ(a->NextEpoch().value(), (uint64_t{1} << 32) - 2);
  EXPECT_EQ(a->NextEpoch().value(), (uint64_t{1} << 32) - 1);
  EXPECT_CODE(b->NextEpoch(), StatusCode::kResourceExhausted);
  EXPECT_CODE(b->Create("master", "", LockFileKind::kLocked), StatusCode::kResourceExhausted);
}

TEST(ZooKeeperSession, ATreeWithoutItsCounterIsDamage) {
  ZooKeeperOptions cluster = FreshCluster();
  auto service = NewService(cluster);
  auto session = OpenSession(service.get(), "a", 10 * kSecond).value();
  zookeeper::NodePaths paths(cluster.cluster);
  auto stranger = Stranger(cluster);
  const std::string counter = paths.File("epoch");
  EXPECT_EQ(stranger->Make({{Change::Kind::kSet, counter, "nonsense"}})->Wait(Soon()).code, 0);
  EXPECT_CODE(session->NextEpoch(), StatusCode::kDataLoss);
  EXPECT_EQ(stranger->Make({{Change::Kind::kDelete, counter, ""}})->Wait(Soon()).code, 0);
  EXPECT_CODE(session->NextEpoch(), StatusCode::kDataLoss);
  EXPECT_CODE(OpenSession(service.get(), "b", 10 * kSecond), StatusCode::kDataLoss);
  // A caller that makes no cluster must not take this one for a cluster that does not exist.
  cluster.missing = MissingCluster::kRefuse;
  EXPECT_CODE(OpenSession(NewService(cluster).get(), "c", 10 * kSecond), StatusCode::kDataLoss);
  ZooKeeperOptions none = FreshCluster();
  none.missing = MissingCluster::kRefuse;
  EXPECT_CODE(OpenSession(NewService(none).get(), "d", 10 * kSecond), StatusCode::kNotFound);
  stranger->Close();
}

TEST(ZooKeeperSession, NodesBelongToTheSecret) {
  ZooKeeperOptions cluster = FreshCluster();
  cluster.secret = "open sesame";
  auto service = NewService(cluster);
  auto session = OpenSession(service.get(), "a", 10 * kSecond).value();
  EXPECT_OK(session->Create("servers/a.1", "", LockFileKind::kLocked));
  EXPECT_OK(session->Create("gateways/g", "", LockFileKind::kEphemeral));
  EXPECT_OK(session->Heartbeat());
  EXPECT_OK(OpenSession(NewService(cluster).get(), "b", 10 * kSecond));
  zookeeper::NodePaths paths(cluster.cluster);
  auto stranger = Stranger(cluster);
  for (const std::string& node : {paths.Root(), paths.File("epoch"), paths.Lock("servers/a.1"),
                                  paths.File("gateways/g"), paths.Session(session->id())}) {
    EXPECT_EQ(stranger->Get(node)->Wait(Soon()).code, zookeeper::kNoAuth) << node;
    EXPECT_EQ(stranger->Make({{Change::Kind::kSet, node, ""}})->Wait(Soon()).code,
              zookeeper::kNoAuth)
        << node;
  }
  stranger->Close();
  for (const char* secret : {"", "open barley"}) {
    cluster.secret = secret;
    Status refused = OpenSession(NewService(cluster).get(), "b", 10 * kSecond).status();
    EXPECT_EQ(refused.code(), StatusCode::kPermissionDenied) << refused;
  }
}

TEST(ZooKeeperSession, MembersThatAreNotThereAreUnavailableInTime) {
  ZooKeeperOptions nowhere;
  nowhere.hosts = "127.0.0.1:1";
  nowhere.cluster = "demo";
  engine::Clock* clock = engine::Clock::System();
  int64_t until_nanos = clock->MonotonicNanos() + 2 * kSecond * 1000;
  Status status = NewService(nowhere)->OpenSession({"a", kSecond}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_NE(status.ToString().find("127.0.0.1:1"), std::string::npos) << status;
  EXPECT_LT(clock->MonotonicNanos(), until_nanos);
}

// Both with the members' tick time and without it.
TEST(ZooKeeperSession, TheWaitForTheFirstMemberIsAsLongAsTheOptionsSay) {
  engine::Clock* clock = engine::Clock::System();
  for (int64_t tick_us : {int64_t{0}, kTickMicros}) {
    ZooKeeperOptions nowhere;
    nowhere.hosts = "127.0.0.1:1";
    nowhere.cluster = "demo";
    nowhere.tick_us = tick_us;
    nowhere.connect_us = 1;
    const int64_t begun_nanos = clock->MonotonicNanos();
    EXPECT_CODE(NewService(nowhere)->OpenSession({"a", 60 * kSecond}), StatusCode::kUnavailable);
    EXPECT_LT(clock->MonotonicNanos(), begun_nanos + 30 * kSecond * 1000);
    std::string waited_for;
    nowhere.connect_us = 0;
    nowhere.may_wait = [&](const std::string& what) {
      waited_for = what;
      return false;
    };
    EXPECT_CODE(NewService(nowhere)->OpenSession({"a", 60 * kSecond}), StatusCode::kCancelled);
    EXPECT_NE(waited_for.find("127.0.0.1:1"), std::string::npos) << waited_for;
  }
}

}  // namespace
}  // namespace sippar::cluster
