// Tests the lock service of the simulation.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_locks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sippar::sim {
namespace {

constexpr MachineId kLocks = 1;
constexpr int kFiles = 1'000;

// Returns the simulated time that a call for a thousand files takes, in nanoseconds, after a read
// of each of them by itself has taken `*single_nanos`.
int64_t NanosOfReadDirectory(uint64_t seed, int64_t* single_nanos) {
  Scheduler::Options options;
  options.seed = seed;
  World world(options);
  int64_t nanos = 0;
  auto body = [&] {
    LockProcess process;
    process.service = cluster::EmbeddedLockService::Open(world.disk()->Of(kLocks), "/locks",
                                                         world.scheduler()->ClockOf(kLocks))
                          .value();
    world.network()->Serve(kLocks, &process);
    SimLockService locks(&world, kLocks);
    auto session = locks.OpenSession({"client", 0, world.scheduler()->ClockOf(0)}).value();
    auto on_the_spot = process.service->OpenSession({"server", 0}).value();
    for (int i = 0; i < kFiles; ++i) {
      const auto made = on_the_spot->Create(fmt::format("servers/s.{:04}", i), "content",
                                            cluster::LockFileKind::kLocked);
      EXPECT_TRUE(made.ok()) << made.status();
    }
    int64_t begin_ns = world.scheduler()->now_ns();
    auto files = session->ReadDirectory("servers");
    nanos = world.scheduler()->now_ns() - begin_ns;
    EXPECT_TRUE(files.ok()) << files.status();
    EXPECT_EQ(files.ok() ? files->size() : 0, size_t{kFiles});
    begin_ns = world.scheduler()->now_ns();
    for (int i = 0; i < kFiles; ++i) {
      EXPECT_TRUE(session->Read(fmt::format("servers/s.{:04}", i)).ok());
    }
    *single_nanos = world.scheduler()->now_ns() - begin_ns;
    EXPECT_TRUE(session->Close().ok());
  };
  EXPECT_EQ(world.scheduler()->Run(body), "") << "seed " << seed;
  return nanos;
}

TEST(SimLocks, AThousandFilesAreReadInOneCallAndTheSameWayEachTime) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    int64_t single_nanos = 0;
    int64_t single_again_nanos = 0;
    const int64_t nanos = NanosOfReadDirectory(seed, &single_nanos);
    EXPECT_GT(nanos, 0);
    EXPECT_LT(nanos * 50, single_nanos) << "one call over the network, not a thousand";
    EXPECT_EQ(NanosOfReadDirectory(seed, &single_again_nanos), nanos);
    EXPECT_EQ(single_again_nanos, single_nanos);
  }
}

}  // namespace
}  // namespace sippar::sim
