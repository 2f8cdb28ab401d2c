// Tests a session that is opened again after it was lost.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/steady_session.h"

#include <functional>
#include <thread>

#include "engine/base/thread.h"
#include "tests/cluster/lock/contract_world.h"
#include "tests/cluster/lock/watched_locks.h"

namespace sippar::cluster {
namespace {

class SteadySessionTest : public InContractWorld {
 protected:
  static void Await(const std::function<bool()>& condition) {
    while (!condition()) std::this_thread::yield();
  }
};

TEST_F(SteadySessionTest, OutlivesItsSessions) {
  auto opened = SteadySession::Open(world.locks(), {"client", kSecond, world.clock});
  ASSERT_TRUE(opened.ok()) << opened.status();
  SteadySession* steady = opened->get();
  EXPECT_OK(steady->Create("cluster", "c", LockFileKind::kLasting));
  uint64_t first = steady->id();
  world.Pass(10 * kSecond);  // longer than the timeout, without a heartbeat
  auto file = steady->Read("cluster", Freshness::kConsistent);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->content, "c");
  EXPECT_NE(steady->id(), first);
  world.Pass(10 * kSecond);
  EXPECT_EQ(*steady->Write("cluster", "d", file->version), file->version + 1);
  // A lock would be lost without notice, so it is rejected.
  EXPECT_CODE(steady->Acquire("cluster"), StatusCode::kInvalidArgument);
  EXPECT_CODE(steady->Create("servers/s.9", "", LockFileKind::kLocked),
              StatusCode::kInvalidArgument);
  EXPECT_OK(steady->Close());
  EXPECT_CODE(steady->List("servers"), StatusCode::kFailedPrecondition);
}

TEST_F(SteadySessionTest, OneCallOpensTheNextSessionForAll) {
  constexpr int kCalls = 8;
  std::atomic<int> asked{0};
  std::atomic<bool> is_over{false};
  WatchedLocks::Hooks hooks;
  hooks.read = [&] {
    ++asked;
    return OkStatus();
  };
  // The next session opens only after every call has found that it needs one.
  hooks.open = [&] {
    if (is_over) Await([&] { return asked >= kCalls; });
    return OkStatus();
  };
  WatchedLocks locks(world.locks(), hooks);
  auto steady = SteadySession::Open(&locks, {"client", kSecond, world.clock}).value();
  EXPECT_OK(steady->Create("cluster", "c", LockFileKind::kLasting));
  world.Pass(10 * kSecond);
  is_over = true;
  std::atomic<int> good{0};
  {
    std::vector<engine::Thread> callers;
    for (int i = 0; i < kCalls; ++i) {
      callers.emplace_back("caller", [&] {
        if (steady->Read("cluster", Freshness::kConsistent).ok()) ++good;
      });
    }
  }
  EXPECT_EQ(good, kCalls);
  EXPECT_EQ(locks.tries(), 2) << "the first session, and one after it";
}

TEST_F(SteadySessionTest, ASessionThatCannotBeHadIsTheErrorOfTheCallAndTheNextOneTriesAgain) {
  std::atomic<bool> is_away{false};
  WatchedLocks::Hooks hooks;
  hooks.open = [&] { return is_away ? Unavailable("away") : OkStatus(); };
  WatchedLocks locks(world.locks(), hooks);
  auto steady = SteadySession::Open(&locks, {"client", kSecond, world.clock}).value();
  world.Pass(10 * kSecond);
  is_away = true;
  EXPECT_CODE(steady->List("servers"), StatusCode::kUnavailable);
  EXPECT_CODE(steady->List("servers"), StatusCode::kUnavailable);
  EXPECT_EQ(locks.tries(), 3);
  is_away = false;
  EXPECT_OK(steady->List("servers"));
}

TEST_F(SteadySessionTest, NoSessionIsLeftByOneThatIsDroppedOrClosedWhileItOpensTheNext) {
  std::atomic<bool> is_over{false};
  std::atomic<bool> is_closed{false};
  WatchedLocks::Hooks hooks;
  hooks.open = [&] {
    if (is_over) Await([&] { return is_closed.load(); });
    return OkStatus();
  };
  WatchedLocks locks(world.locks(), hooks);
  auto dropped = SteadySession::Open(&locks, {"dropped", kSecond, world.clock}).value();
  EXPECT_EQ(locks.left(), 1);
  dropped.reset();
  EXPECT_EQ(locks.left(), 0);
  auto closed = SteadySession::Open(&locks, {"closed", kSecond, world.clock}).value();
  world.Pass(10 * kSecond);
  is_over = true;
  {
    engine::Thread caller(
        "caller", [&] { EXPECT_CODE(closed->List("servers"), StatusCode::kFailedPrecondition); });
    Await([&] { return locks.tries() == 3; });
    EXPECT_OK(closed->Close());
    is_closed = true;
  }
  EXPECT_EQ(locks.opened(), 3);
  EXPECT_EQ(locks.left(), 0);
}

}  // namespace
}  // namespace sippar::cluster
