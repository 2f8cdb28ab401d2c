// Tests the check of a lease's length before the lease is used.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/lease_check.h"

#include "tests/cluster/lock/lock_world.h"
#include "tests/cluster/lock/watched_locks.h"

namespace sippar::cluster {
namespace {

TEST(LeaseCheck, SaysWhatTheServiceSaysAndLeavesNoSession) {
  LockWorld world;
  Status answer = OkStatus();
  WatchedLocks::Hooks hooks;
  hooks.open = [&] { return answer; };
  WatchedLocks locks(world.service.get(), hooks);
  EXPECT_OK(CheckLease(&locks, kDefaultLeaseMicros, &world.clock));
  EXPECT_EQ(locks.opened(), 1);
  EXPECT_EQ(locks.left(), 0);
  answer = InvalidArgument("the lease is too short");
  EXPECT_EQ(CheckLease(&locks, kDefaultLeaseMicros, &world.clock), answer);
  EXPECT_EQ(locks.left(), 0);
}

}  // namespace
}  // namespace sippar::cluster
