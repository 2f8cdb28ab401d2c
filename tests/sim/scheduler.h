// Threads as fibers on one OS thread, in virtual time: the runtime behind engine/base/thread.h and
// clock.h in a simulation. Who runs next is drawn from the seed wherever a real thread could be
// preempted or has to wait, so a seed is a history. Time moves when nobody can run, to the next
// moment somebody waits for. SPDX-License-Identifier: Apache-2.0
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

// Threads live on a machine and die with it. 0 is the test itself, which never dies.
using MachineId = uint32_t;

class Scheduler;

// A machine's clock: its wall time may be off, and all its clocks may run fast or slow.
class MachineClock final : public engine::Clock {
 public:
  explicit MachineClock(Scheduler* scheduler) : scheduler_(scheduler) {}
  int64_t NowMicros() override;
  int64_t MonotonicNanos() override;
  void SleepMicros(int64_t micros) override;

  void ShiftWall(int64_t micros) { wall_offset_us_ += micros; }
  // From now on `permille` nanoseconds pass here while 1,000 pass.
  void SetRate(int64_t permille);
  // How long `nanos` of this clock really take.
  int64_t ToVirtual(int64_t nanos) const { return nanos * 1000 / permille_; }

 private:
  Scheduler* scheduler_;
  int64_t wall_offset_us_ = 0;
  int64_t permille_ = 1000;
  int64_t rate_since_ns_ = 0;  // virtual
  int64_t shown_then_ns_ = 0;
};

class Scheduler final : public engine::ThreadRuntime {
 public:
  struct Options {
    uint64_t seed = 1;
    // false: any of those that can run, all alike. true: the one with the highest of random
    // priorities, which now and then change: histories with few preemptions.
    bool priorities = false;
    uint64_t preempt_one_in = 4;  // lock calls, of locks that are free
    size_t hardware_threads = 2;
    int64_t time_limit_us = 600'000'000;
    bool trace = false;
  };
  static constexpr int64_t kNever = INT64_MAX;

  explicit Scheduler(const Options& options);
  ~Scheduler() override;

  // Runs `body` as the first thread of machine 0 until it returns; whatever else still runs then is
  // dropped. "" or what was wrong: Fail's text, a deadlock, the time limit; with what every thread
  // was waiting for.
  std::string Run(std::function<void()> body);

  // --- What engine/base asks.
  void Lock(const void* mutex) override;
  void Unlock(const void* mutex) override;
  bool Wait(const void* condition, const void* mutex, int64_t micros) override;
  void Notify(const void* condition, bool all) override;
  uint64_t Start(const std::string& name, std::function<void()> body) override;
  void Join(uint64_t thread) override;
  size_t HardwareThreads() override { return options_.hardware_threads; }
  engine::Clock* MachineClock() override { return ClockOf(machine()); }

  // --- What simulated disks, networks and tests ask; from inside Run.
  uint64_t StartOn(MachineId machine, const std::string& name, std::function<void()> body);
  // Its threads never run again; the caller too, when it is one of them. Nothing of them is
  // destroyed: a process that is killed runs no destructors.
  void DropMachine(MachineId machine);
  // How often it was dropped: what was meant for an earlier life reaches nobody.
  uint64_t LivesOf(MachineId machine) { return lives_[machine]; }
  // Between the two its threads do not run, while its clocks go on: a process that is stopped, or a
  // machine that is suspended. Of its own machine a thread may ask the first, and returns thawed.
  void Freeze(MachineId machine);
  void Thaw(MachineId machine);
  MachineId machine() const;
  sim::MachineClock* ClockOf(MachineId machine);
  int64_t now_ns() const { return now_ns_; }
  // Others may run.
  void Yield();
  // While false, locks that are free are taken at once: what the simulation itself does is one
  // step.
  void SetPreemption(bool preempts) { preempts_ = preempts; }
  // `what` and `detail` are for the dump and live as long as the call.
  void Sleep(int64_t nanos, const char* what = "sleeps", std::string_view detail = {});
  // Waits for Notify(place), until the time at most; true when woken.
  bool WaitAt(const void* place, int64_t until_ns, const char* what, std::string_view detail = {});
  // The one source of chance of this run.
  engine::Random* random() { return &random_; }
  // Into the hash that tells histories apart, and to stdout when tracing.
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
  std::vector<Task*> frozen_runnable_;  // could run if their machines were not frozen
  std::set<MachineId> frozen_;
  std::map<MachineId, uint64_t> lives_;
  std::set<std::pair<int64_t, uint64_t>> timers_;
  std::unordered_map<const void*, std::vector<Task*>> waiting_;
  std::unordered_map<const void*, Task*> held_;  // locks
  std::vector<uint64_t> finished_;               // on a stack that may still be the running one
  std::map<MachineId, std::unique_ptr<sim::MachineClock>> clocks_;
};

}  // namespace sippar::sim
