// Tests threads, locks and time in a simulation.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/base/entropy.h"
#include "engine/base/thread.h"

namespace sippar::sim {
namespace {

using engine::Clock;
using engine::CondVar;
using engine::Mutex;
using engine::MutexLock;
using engine::Thread;
using testing::HasSubstr;

Scheduler::Options Seeded(uint64_t seed, bool priorities = false) {
  Scheduler::Options options;
  options.seed = seed;
  options.priorities = priorities;
  options.preempt_one_in = 2;
  return options;
}

// Returns the order in which three threads take a lock twice each.
std::string OrderOf(uint64_t seed, bool priorities) {
  Scheduler scheduler(Seeded(seed, priorities));
  std::string order;
  EXPECT_EQ(scheduler.Run([&] {
    Mutex mutex;
    std::vector<Thread> threads;
    for (char name : {'a', 'b', 'c'}) {
      threads.emplace_back("worker", [&, name] {
        for (int i = 0; i < 2; ++i) {
          MutexLock lock(&mutex);
          order += name;
        }
      });
    }
  }),
            "");
  return order;
}

TEST(Scheduler, ASeedIsAnOrderAndSeedsDiffer) {
  for (bool priorities : {false, true}) {
    std::set<std::string> orders;
    for (uint64_t seed = 1; seed <= 100; ++seed) {
      std::string order = OrderOf(seed, priorities);
      EXPECT_EQ(order, OrderOf(seed, priorities));
      orders.insert(order);
    }
    EXPECT_GT(orders.size(), priorities ? 5u : 30u);
  }
}

TEST(Scheduler, SleepsTakeNoRealTimeAndEndInOrder) {
  Scheduler scheduler(Seeded(1));
  std::string order;
  int64_t real_ns = Clock::System()->MonotonicNanos();
  EXPECT_EQ(scheduler.Run([&] {
    std::vector<Thread> threads;
    for (int hours : {3, 1, 2}) {
      threads.emplace_back("sleeper", [&, hours] {
        Clock::System()->SleepMicros(hours * int64_t{1'000'000});
        order += std::to_string(hours);
      });
    }
  }),
            "");
  EXPECT_EQ(order, "123");
  EXPECT_LT(Clock::System()->MonotonicNanos() - real_ns, 1'000'000'000);
}

TEST(Scheduler, WaitsEndByNotificationOrByTime) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Scheduler scheduler(Seeded(seed));
    EXPECT_EQ(scheduler.Run([&] {
      Mutex mutex;
      CondVar changed;
      bool ready = false;
      Thread setter("setter", [&] {
        Clock::System()->SleepMicros(1'000);
        MutexLock lock(&mutex);
        ready = true;
        changed.NotifyOne();
      });
      MutexLock lock(&mutex);
      EXPECT_FALSE(changed.WaitFor(&mutex, 100));
      EXPECT_FALSE(ready);
      while (!ready) changed.Wait(&mutex);
    }),
              "");
  }
}

TEST(Scheduler, ALockIsHeldByOneThread) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Scheduler scheduler(Seeded(seed));
    int value = 0;
    EXPECT_EQ(scheduler.Run([&] {
      Mutex mutex;
      std::vector<Thread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back("adder", [&] {
          for (int i = 0; i < 10; ++i) {
            MutexLock lock(&mutex);
            int before = value;
            Clock::System()->SleepMicros(10);
            value = before + 1;
          }
        });
      }
    }),
              "");
    EXPECT_EQ(value, 40);
  }
}

TEST(Scheduler, DeadlocksAreFoundAndExplained) {
  int found = 0;
  // The mutexes outlive threads that are dropped while they hold them.
  static auto* mutexes = new std::vector<Mutex*>;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Scheduler scheduler(Seeded(seed));
    std::string failure = scheduler.Run([] {
      auto* first = mutexes->emplace_back(new Mutex);
      auto* second = mutexes->emplace_back(new Mutex);
      Thread other("other", [&] {
        MutexLock lock_second(second);
        MutexLock lock_first(first);
      });
      MutexLock lock_first(first);
      MutexLock lock_second(second);
    });
    if (failure.empty()) continue;
    ++found;
    EXPECT_THAT(failure, HasSubstr("deadlock"));
    EXPECT_THAT(failure, HasSubstr("other of machine 0: locks what is held by main"));
    EXPECT_THAT(failure, HasSubstr("main of machine 0: locks what is held by other"));
  }
  EXPECT_GT(found, 5);
  EXPECT_LT(found, 50);
}

TEST(Scheduler, ARunEndsAtItsTimeLimit) {
  Scheduler::Options options = Seeded(1);
  options.time_limit_us = 1'000'000;
  Scheduler scheduler(options);
  EXPECT_THAT(scheduler.Run([] {
    for (;;) Clock::System()->SleepMicros(10);
  }),
              HasSubstr("not over at its time limit"));
}

TEST(Scheduler, ThreadsOfADroppedMachineNeverRunAgain) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Scheduler scheduler(Seeded(seed));
    int steps = 0;
    EXPECT_EQ(scheduler.Run([&] {
      auto* mutex = new Mutex;
      uint64_t first = scheduler.StartOn(1, "worker", [&] {
        Thread below("below", [&] {
          for (;;) {
            MutexLock lock(mutex);
            Clock::System()->SleepMicros(10);
            ++steps;
          }
        });
      });
      scheduler.Sleep(1'000'000);
      EXPECT_GT(steps, 10);
      scheduler.DropMachine(1);
      int then = steps;
      scheduler.Join(first);
      MutexLock lock(mutex);  // the machine of the lock's holder was dropped
      scheduler.Sleep(1'000'000);
      EXPECT_EQ(steps, then);
    }),
              "");
  }
}

TEST(Scheduler, AThreadMayDropItsOwnMachine) {
  Scheduler scheduler(Seeded(1));
  bool went_on = false;
  EXPECT_EQ(scheduler.Run([&] {
    uint64_t thread = scheduler.StartOn(1, "victim", [&] {
      scheduler.DropMachine(1);
      went_on = true;
    });
    scheduler.Join(thread);
  }),
            "");
  EXPECT_FALSE(went_on);
}

TEST(Scheduler, AFrozenMachineStandsStillWhileItsClockGoesOn) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Scheduler scheduler(Seeded(seed));
    EXPECT_EQ(scheduler.Run([&] {
      int steps = 0;
      scheduler.StartOn(1, "sleeper", [&] {
        for (;; ++steps) scheduler.Sleep(1'000'000);
      });
      scheduler.StartOn(1, "busy", [&] {
        for (;; ++steps) scheduler.Yield();
      });
      scheduler.Sleep(10'000'000);
      scheduler.Freeze(1);
      int then = steps;
      int64_t clock_ns = scheduler.ClockOf(1)->MonotonicNanos();
      scheduler.StartOn(1, "late", [&] { ++steps; });
      scheduler.Sleep(10'000'000);
      EXPECT_EQ(steps, then);
      EXPECT_GE(scheduler.ClockOf(1)->MonotonicNanos(), clock_ns + 10'000'000);
      scheduler.Thaw(1);
      scheduler.Sleep(1'000'000);
      EXPECT_GT(steps, then + 2);
    }),
              "");
  }
}

TEST(Scheduler, MachinesHaveTheirOwnClocks) {
  Scheduler scheduler(Seeded(1));
  EXPECT_EQ(scheduler.Run([&] {
    Clock* clock = Clock::System();
    EXPECT_EQ(clock, scheduler.ClockOf(0));
    MachineClock* fast = scheduler.ClockOf(1);
    fast->SetRate(1050);
    fast->ShiftWall(-5'000'000);
    int64_t before_ns = fast->MonotonicNanos();
    int64_t wall_us = fast->NowMicros();
    clock->SleepMicros(1'000'000);
    EXPECT_NEAR(static_cast<double>(fast->MonotonicNanos() - before_ns), 1.05e9, 1e4);
    EXPECT_NEAR(static_cast<double>(fast->NowMicros() - wall_us), 1.05e6, 1e2);
    EXPECT_NEAR(static_cast<double>(clock->NowMicros() - fast->NowMicros()), 4.95e6, 1e2);
    uint64_t thread = scheduler.StartOn(1, "there", [&] {
      int64_t start_ns = scheduler.now_ns();
      EXPECT_EQ(Clock::System(), fast);
      Clock::System()->SleepMicros(1'050'000);
      EXPECT_NEAR(static_cast<double>(scheduler.now_ns() - start_ns), 1e9, 1e4);
    });
    scheduler.Join(thread);
  }),
            "");
}

TEST(Scheduler, ASeedDeterminesEntropy) {
  auto drawn = [](uint64_t seed) {
    Scheduler scheduler(Seeded(seed));
    uint64_t bits = 0;
    EXPECT_EQ(scheduler.Run([&] { bits = engine::Entropy(); }), "");
    return bits;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
  EXPECT_NE(engine::Entropy(), engine::Entropy());  // outside of a run it is the machine's
}

TEST(Scheduler, OutsideOfARunThreadsAreReal) {
  Scheduler scheduler(Seeded(1));
  EXPECT_EQ(scheduler.Run([] {}), "");
  bool ran = false;
  Thread("real", [&] { ran = true; }).Join();
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace sippar::sim
