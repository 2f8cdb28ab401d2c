// Tests the disks and networks of simulated machines.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_world.h"

#include <gtest/gtest.h>

#include <set>

namespace sippar::sim {
namespace {

using engine::FileSystem;

void InWorld(uint64_t seed, const std::function<void(World*)>& body) {
  Scheduler::Options options;
  options.seed = seed;
  World world(options);
  EXPECT_EQ(world.scheduler()->Run([&] { body(&world); }), "") << "seed " << seed;
}

Status WriteFile(FileSystem* fs, const std::string& path, const std::string& bytes, bool sync) {
  ASSIGN_OR_RETURN(auto file, fs->Create(path));
  RETURN_IF_ERROR(file->Append(bytes));
  if (sync) RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

TEST(SimDisk, ACrashTakesWhatItsMachineDidNotSyncAndNothingElse) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    InWorld(seed, [&](World* world) {
      FileSystem* one = world->disk()->Of(1);
      FileSystem* two = world->disk()->Of(2);
      EXPECT_TRUE(one->CreateDir("/d").ok() && one->SyncDir("/").ok());
      EXPECT_TRUE(WriteFile(one, "/d/synced", "123", true).ok() && one->SyncDir("/d").ok());
      EXPECT_TRUE(two->CreateDir("/e").ok() && WriteFile(two, "/e/others", "x", false).ok());
      EXPECT_TRUE(WriteFile(one, "/d/unsynced", std::string(3000, 'y'), false).ok());
      world->Kill(1, /*power_lost=*/true);
      EXPECT_EQ(*ReadFile(one, "/d/synced"), "123");
      EXPECT_EQ(*ReadFile(two, "/e/others"), "x");
      auto left = ReadFile(two, "/d/unsynced");
      outcomes.insert(!left.ok()             ? "gone"
                      : left->size() == 3000 ? "whole"
                      : left->empty()        ? "empty"
                                             : "torn");
    });
  }
  EXPECT_TRUE(outcomes.contains("gone") && outcomes.contains("torn"));
}

TEST(SimDisk, WhatAnotherMachineHasSeenStays) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    InWorld(seed, [&](World* world) {
      FileSystem* one = world->disk()->Of(1);
      EXPECT_TRUE(WriteFile(one, "/file", "seen", false).ok());
      EXPECT_EQ(*ReadFile(world->disk()->Of(2), "/file"), "seen");
      world->Kill(1, /*power_lost=*/true);
      EXPECT_EQ(*ReadFile(world->disk()->Of(2), "/file"), "seen");
    });
  }
}

TEST(SimDisk, ADirectoryThatAnotherMachineRenamesKeepsWhatWasSynced) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    InWorld(seed, [&](World* world) {
      FileSystem* one = world->disk()->Of(1);
      FileSystem* two = world->disk()->Of(2);
      EXPECT_TRUE(one->CreateDir("/d").ok() && one->SyncDir("/").ok());
      EXPECT_TRUE(WriteFile(one, "/d/synced", "123", true).ok() && one->SyncDir("/d").ok());
      EXPECT_TRUE(WriteFile(one, "/d/unsynced", "4", false).ok());
      EXPECT_TRUE(two->Rename("/d", "/d.sealed").ok());
      if (seed % 2 == 0) EXPECT_TRUE(two->SyncDir("/").ok());
      world->Kill(1, /*power_lost=*/true);
      EXPECT_EQ(*ReadFile(two, "/d.sealed/synced"), "123");
      EXPECT_FALSE(*two->Exists("/d"));
    });
  }
}

TEST(SimDisk, AKilledProcessLosesItsLocksButNoBytes) {
  InWorld(1, [&](World* world) {
    FileSystem* one = world->disk()->Of(1);
    world->scheduler()->StartOn(1, "process", [&] {
      auto lock = one->Lock("/LOCK", "");
      EXPECT_TRUE(lock.ok() && WriteFile(one, "/file", "abc", false).ok());
      world->SleepMicros(1'000'000'000);
    });
    world->SleepMicros(10'000);
    EXPECT_EQ(world->disk()->Of(2)->Lock("/LOCK", "").status().code(), StatusCode::kUnavailable);
    world->Kill(1, /*power_lost=*/false);
    EXPECT_TRUE(world->disk()->Of(2)->Lock("/LOCK", "").ok());
    EXPECT_EQ(*ReadFile(one, "/file"), "abc");
  });
}

TEST(SimDisk, FaultsComeByStateByRateAndByCount) {
  InWorld(1, [&](World* world) {
    FileSystem* one = world->disk()->Of(1);
    world->disk()->SetFaults(1, {.is_full = true});
    EXPECT_EQ(WriteFile(one, "/a", "x", true).code(), StatusCode::kResourceExhausted);
    world->disk()->SetFaults(1, {.is_read_only = true});
    EXPECT_EQ(WriteFile(one, "/a", "x", true).code(), StatusCode::kPermissionDenied);
    EXPECT_TRUE(WriteFile(world->disk()->Of(2), "/b", "x", true).ok());
    world->disk()->SetFaults(1, {.fail_one_in = 2});
    int failed = 0;
    for (int i = 0; i < 100; ++i) failed += one->Exists("/b").ok() ? 0 : 1;
    EXPECT_GT(failed, 20);
    EXPECT_LT(failed, 80);
    world->disk()->SetFaults(1, {});
    world->disk()->FaultsOf(1)->AddRule(*engine::FaultRule::Parse("torn create * 2"));
    EXPECT_TRUE(WriteFile(one, "/c", "x", true).ok());
    EXPECT_EQ(WriteFile(one, "/d", "x", true).code(), StatusCode::kUnavailable);
    EXPECT_TRUE(*one->Exists("/d"));
  });
}

TEST(SimDisk, AHangingDiskAnswersWhenItIsBack) {
  InWorld(1, [&](World* world) {
    world->disk()->SetFaults(1, {.hangs = true});
    bool written = false;
    world->scheduler()->StartOn(
        1, "writer", [&] { written = WriteFile(world->disk()->Of(1), "/a", "x", true).ok(); });
    world->SleepMicros(1'000'000);
    EXPECT_FALSE(written);
    world->disk()->SetFaults(1, {});
    world->SleepMicros(1'000'000);
    EXPECT_TRUE(written);
  });
}

// A service that counts its calls.
struct Counter {
  int calls = 0;
};

StatusOr<int> CallCounter(World* world, MachineId to, const CallOptions& options = {}) {
  return world->network()->Call<Counter, int>(
      to, [](Counter* counter) -> StatusOr<int> { return ++counter->calls; }, options);
}

TEST(SimNetwork, CallsReachTheServiceOrSayWhy) {
  InWorld(1, [&](World* world) {
    Counter counter;
    EXPECT_EQ(CallCounter(world, 1).status().code(), StatusCode::kUnavailable);
    world->network()->Serve(1, &counter);
    EXPECT_EQ(*CallCounter(world, 1), 1);
    world->network()->Isolate(1);
    EXPECT_EQ(CallCounter(world, 1).status().code(), StatusCode::kDeadlineExceeded);
    EXPECT_EQ(counter.calls, 1);
    world->network()->Heal();
    world->network()->CutOneWay(1, 0);
    EXPECT_EQ(CallCounter(world, 1).status().code(), StatusCode::kDeadlineExceeded);
    EXPECT_EQ(counter.calls, 2);  // the call arrived; only its answer was lost
    world->network()->Heal();
    world->network()->Halve({0, 2});
    EXPECT_FALSE(CallCounter(world, 1).ok());
    world->network()->Halve({0, 1});
    EXPECT_TRUE(CallCounter(world, 1).ok());
    world->network()->Flap(1, 1'000'000);
    int passed = 0;
    for (int i = 0; i < 20; ++i) {
      passed += CallCounter(world, 1, {.timeout_us = 100'000}).ok() ? 1 : 0;
      world->SleepMicros(130'000);
    }
    EXPECT_GT(passed, 2);
    EXPECT_LT(passed, 18);
  });
}

TEST(SimNetwork, RequestsAndAnswersAreLostRepeatedAndOvertaken) {
  InWorld(3, [&](World* world) {
    Counter counter;
    world->network()->Serve(1, &counter);
    world->network()->SetFaults({.lose_request_one_in = 4, .lose_answer_one_in = 4});
    int answered = 0;
    for (int i = 0; i < 100; ++i) answered += CallCounter(world, 1).ok() ? 1 : 0;
    EXPECT_GT(counter.calls, answered + 5);
    EXPECT_LT(counter.calls, 95);
    world->network()->SetFaults({.repeat_one_in = 2});
    counter.calls = 0;
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(CallCounter(world, 1, {.may_repeat = true}).ok());
    world->SleepMicros(1'000'000);
    EXPECT_GT(counter.calls, 120);
    // The second of two calls may arrive first.
    world->network()->SetFaults({});
    int overtaken = 0;
    for (int i = 0; i < 50; ++i) {
      std::string order;
      std::vector<uint64_t> callers;
      for (char name : {'a', 'b'}) {
        callers.push_back(world->scheduler()->StartOn(0, "caller", [&, name] {
          (void)world->network()->Call<Counter, int>(1, [&, name](Counter*) -> StatusOr<int> {
            order += name;
            return 0;
          });
        }));
        world->SleepMicros(5);
      }
      for (uint64_t caller : callers) world->scheduler()->Join(caller);
      overtaken += order == "ba" ? 1 : 0;
    }
    EXPECT_GT(overtaken, 5);
  });
}

TEST(SimNetwork, CallersHearOfACrashAndMayCancel) {
  InWorld(1, [&](World* world) {
    int reset = 0;
    int late = 0;
    for (int i = 0; i < 20; ++i) {
      Counter counter;
      world->network()->Serve(1, &counter);
      uint64_t caller = world->scheduler()->StartOn(2, "caller", [&] {
        auto answer = world->network()->Call<Counter, int>(1, [&](Counter*) -> StatusOr<int> {
          world->SleepMicros(1'000'000'000);
          return 0;
        });
        reset += answer.status().code() == StatusCode::kUnavailable ? 1 : 0;
        late += answer.status().code() == StatusCode::kDeadlineExceeded ? 1 : 0;
      });
      world->SleepMicros(1'000);
      world->Kill(1, /*power_lost=*/true);
      world->scheduler()->Join(caller);
    }
    EXPECT_GT(reset, 3);
    EXPECT_GT(late, 3);
    EXPECT_EQ(reset + late, 20);
    Counter counter;
    world->network()->Serve(1, &counter);
    world->network()->SetFaults({.delay_one_in = 1});
    CallCancel cancel(world->scheduler());
    world->scheduler()->StartOn(0, "canceller", [&] { cancel.Cancel(); });
    EXPECT_EQ(CallCounter(world, 1, {.timeout_us = 10'000'000, .cancel = &cancel}).status().code(),
              StatusCode::kCancelled);
  });
}

}  // namespace
}  // namespace sippar::sim
