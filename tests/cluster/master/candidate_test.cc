// Tests a process that waits for the master lock, and its session.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/master_driver.h"
#include "tests/cluster/lock/lock_world.h"
#include "tests/cluster/lock/watched_locks.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kLeaseUs = 60 * kSecond;

class CandidateTest : public testing::Test {
 protected:
  CandidateTest() {
    // Another process is the master during the whole test.
    EXPECT_OK(reigning_->Create(lock_paths::MasterLock(), "", LockFileKind::kLocked));
    WatchedLocks::Hooks hooks;
    hooks.open = [this] { return is_refused_ ? InvalidArgument("refused") : OkStatus(); };
    hooks.heartbeat = [this] {
      if (!is_away_) return OkStatus();
      ++unanswered_;
      return Unavailable("no answer");
    };
    hooks.read = [this] { return is_away_ ? Unavailable("no answer") : OkStatus(); };
    locks_ = std::make_unique<WatchedLocks>(world_.service.get(), hooks);
  }
  std::unique_ptr<MasterDriver> Start() {
    MasterDriverOptions options;
    options.name = "m1";
    options.locks = locks_.get();
    options.session_us = kLeaseUs;
    options.member = MemberRecord{.host = "127.0.0.1", .port = 1};
    options.places.clock = engine::Clock::System();
    return std::make_unique<MasterDriver>(std::move(options));
  }
  // The session that holds the candidate's file; 0: none.
  uint64_t Holder() {
    auto file = reigning_->Read(lock_paths::Master("m1"), Freshness::kConsistent);
    return file.ok() ? file->holder : 0;
  }
  static void Await(const std::function<bool()>& condition) {
    while (!condition()) engine::Clock::System()->SleepMicros(1'000);
  }

  std::atomic<bool> is_away_{false};
  std::atomic<bool> is_refused_{false};
  std::atomic<int> unanswered_{0};
  LockWorld world_;
  std::shared_ptr<LockSession> reigning_ = world_.Session("reigning", /*timeout_us=*/0);
  std::unique_ptr<WatchedLocks> locks_;
};

TEST_F(CandidateTest, KeepsItsSessionWhileHeartbeatsGetNoAnswer) {
  auto candidate = Start();
  Await([&] { return Holder() != 0; });
  const uint64_t before = Holder();
  is_away_ = true;
  Await([&] { return unanswered_ >= 3; });
  is_away_ = false;
  EXPECT_EQ(locks_->opened(), 1);
  EXPECT_EQ(Holder(), before);
  candidate->Stop();
  EXPECT_EQ(Holder(), 0u) << "one that stops leaves at once";
  EXPECT_EQ(locks_->left(), 0);
}

TEST_F(CandidateTest, OpensANewSessionWhenTheServiceHasEndedTheOldOne) {
  auto candidate = Start();
  Await([&] { return Holder() != 0; });
  const uint64_t before = Holder();
  world_.Pass(kLeaseUs);
  Await([&] { return Holder() != 0 && Holder() != before; });
  EXPECT_EQ(locks_->opened(), 2);
}

TEST_F(CandidateTest, ARefusedSessionIsTheFailureOfTheStart) {
  is_refused_ = true;
  auto candidate = Start();
  Await([&] { return !candidate->StartFailure().ok(); });
  EXPECT_CODE(candidate->StartFailure(), StatusCode::kInvalidArgument);
  is_refused_ = false;
  Await([&] { return Holder() != 0; });
  EXPECT_OK(candidate->StartFailure());
}

}  // namespace
}  // namespace sippar::cluster::master
