// Scheduler: runs threads as fibers on one OS thread, in virtual time. It implements the runtime
// behind engine/base/thread.h and clock.h in a simulation. Wherever a real thread could be
// preempted or has to wait, the seed decides which thread runs next, so a seed determines the
// history. When no thread can run, time jumps to the next moment for which a thread waits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/thread_runtime.h"
#include "tests/sim/fiber.h"

namespace sippar::sim {

// A thread belongs to a machine and ends with it. Machine 0 is the test itself, which never ends.
using MachineId = uint32_t;

class Scheduler;

// A machine's clock: its wall time may be wrong, and all its times may advance too fast or too
// slowly.
class MachineClock final : public engine::Clock {
 public:
  explicit MachineClock(Scheduler* scheduler) : scheduler_(scheduler) {}
  int64_t NowMicros() override;
  int64_t MonotonicNanos() override;
  void SleepMicros(int64_t micros) override;

  void ShiftWall(int64_t micros) { wall_offset_us_ += micros; }
  // From now on, `permille` nanoseconds pass on this clock for each 1,000 of virtual time.
  void SetRate(int64_t permille);
  // The virtual time in which `nanos` pass on this clock.
  int64_t ToVirtual(int64_t nanos) const { return nanos * 1000 / permille_; }

 private:
  Scheduler* scheduler_;
  int64_t wall_offset_us_ = 0;
  int64_t permille_ = 1000;
  int64_t rate_since_ns_ = 0;  // virtual time of the last SetRate
  int64_t shown_then_ns_ = 0;
};

class Scheduler final : public engine::ThreadRuntime {
 public:
  struct Options {
    uint64_t seed = 1;
    // false: picks any runnable thread with equal probability. true: picks the one with the highest
    // of random priorities, which occasionally change; such histories have few preemptions.
    bool priorities = false;
    uint64_t preempt_one_in = 4;  // one in so many Lock calls lets another thread run first
    size_t hardware_threads = 2;
    int64_t time_limit_us = 600'000'000;
    bool trace = false;
  };
  static constexpr int64_t kNever = INT64_MAX;

  explicit Scheduler(const Options& options);
  ~Scheduler() override;

  // Runs `body` as the first thread of machine 0 until it returns; drops all threads that still run
  // then. Returns "" or the problem: the text of Fail, a deadlock or the time limit, with the place
  // where every thread was waiting.
  std::string Run(std::function<void()> body);

  // --- Functions that engine/base calls.
  void Lock(const void* mutex) override;
  void Unlock(const void* mutex) override;
  bool Wait(const void* condition, const void* mutex, int64_t micros) override;
  void Notify(const void* condition, bool all) override;
  uint64_t Start(const std::string& name, std::function<void()> body) override;
  void Join(uint64_t thread) override;
  size_t HardwareThreads() override { return options_.hardware_threads; }
  uint64_t Entropy() override { return random_.Next(); }
  engine::Clock* MachineClock() override { return ClockOf(machine()); }

  // --- Functions that simulated disks, networks and tests call, from inside Run.
  uint64_t StartOn(MachineId machine, const std::string& name, std::function<void()> body);
  // The machine's threads never run again; if the caller is one of them, the call does not return.
  // Nothing that they own is destroyed: a process that is killed runs no destructors.
  void DropMachine(MachineId machine);
  // How often the machine was dropped. Messages for an earlier life are not delivered.
  uint64_t LivesOf(MachineId machine) { return lives_[machine]; }
  // Between Freeze and Thaw the machine's threads do not run, while its clocks go on: a process
  // that is stopped, or a machine that is suspended. A thread may freeze its own machine; that call
  // returns after Thaw.
  void Freeze(MachineId machine);
  void Thaw(MachineId machine);
  MachineId machine() const;
  sim::MachineClock* ClockOf(MachineId machine);
  int64_t now_ns() const { return now_ns_; }
  // Lets other threads run.
  void Yield();
  // If set to false, a free lock is taken without a switch, so that work of the simulation itself
  // is one step.
  void SetPreemption(bool preempts) { preempts_ = preempts; }
  // Sleeps. `what` and `detail` are for the dump and must live as long as the call.
  void Sleep(int64_t nanos, const char* what = "sleeps", std::string_view detail = {});
  // Waits for Notify(place), at most until `until_ns`; returns true if notified.
  bool WaitAt(const void* place, int64_t until_ns, const char* what, std::string_view detail = {});
  // The only source of random numbers in this run.
  engine::Random* random() { return &random_; }
  // Adds `event` to the hash that distinguishes histories; also prints it if tracing.
  void Note(std::string_view event);
  uint64_t hash() const { return hash_; }
  // Ends the run.
  [[noreturn]] void Fail(const std::string& reason);

 private:
  struct Task;

  static void Entry();
  bool Block(const void* place, int64_t until_ns, const char* what, std::string_view detail);
  void Unblock(Task* task, bool woken);
  void Forget(Task* task);
  void MakeRunnable(Task* task);
  void WakeOne(const void* place);
  void FireTimers();
  void WaitForTimers();
  Task* PickNext();
  void SwitchToNext();
  [[noreturn]] void Finish();
  void Reap();
  std::string Dump() const;

  const Options options_;
  engine::Random random_;
  int64_t now_ns_ = 0;
  uint64_t hash_ = 0;
  uint64_t next_id_ = 1;
  bool preempts_ = true;
  std::string failure_;
  Fiber main_;
  Task* running_ = nullptr;
  Task* root_ = nullptr;
  std::map<uint64_t, std::unique_ptr<Task>> tasks_;
  std::vector<Task*> runnable_;
  std::vector<Task*> frozen_runnable_;  // tasks that could run if their machines were not frozen
  std::set<MachineId> frozen_;
  std::map<MachineId, uint64_t> lives_;
  std::set<std::pair<int64_t, uint64_t>> timers_;
  std::unordered_map<const void*, std::vector<Task*>> waiting_;
  std::unordered_map<const void*, Task*> held_;  // locks and the tasks that hold them
  std::vector<uint64_t> finished_;  // ended tasks, whose stack may still be the running one
  std::map<MachineId, std::unique_ptr<sim::MachineClock>> clocks_;
};

}  // namespace sippar::sim
