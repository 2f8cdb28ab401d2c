// Schedules the fibers and advances virtual time.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "engine/base/check.h"
#include "engine/base/checksum.h"

namespace sippar::sim {
namespace {
constexpr int64_t kStepNanos = 500;  // time that a thread takes from one switch to the next
constexpr uint64_t kSpuriousOneIn = 64;
constexpr uint64_t kPriorityChangeOneIn = 256;
constexpr int64_t kWallStartMicros = 1'700'000'000'000'000;

// Fibers that never run again, with everything that their frames own.
std::vector<void*>* Dropped() {
  static auto* dropped = new std::vector<void*>();
  return dropped;
}
}  // namespace

int64_t MachineClock::MonotonicNanos() {
  return shown_then_ns_ + (scheduler_->now_ns() - rate_since_ns_) * permille_ / 1000;
}

int64_t MachineClock::NowMicros() {
  return kWallStartMicros + wall_offset_us_ + MonotonicNanos() / 1000;
}

void MachineClock::SleepMicros(int64_t micros) {
  scheduler_->Sleep(ToVirtual(std::max<int64_t>(micros, 0) * 1000));
}

void MachineClock::SetRate(int64_t permille) {
  shown_then_ns_ = MonotonicNanos();
  rate_since_ns_ = scheduler_->now_ns();
  permille_ = permille;
}

struct Scheduler::Task {
  uint64_t id = 0;
  std::string name;
  MachineId machine = 0;
  std::function<void()> body;
  std::unique_ptr<Fiber> fiber;
  uint64_t priority = 0;
  bool runnable = true;
  bool woken = false;
  const void* place = nullptr;
  int64_t until_ns = kNever;
  const char* what = "";
  std::string_view detail;
};

Scheduler::Scheduler(const Options& options) : options_(options), random_(options.seed) {}

Scheduler::~Scheduler() {
  for (auto& [id, task] : tasks_) {
    task->fiber->Abandon();
    Dropped()->push_back(task.release());
  }
}

std::string Scheduler::Run(std::function<void()> body) {
  CHECK(ThreadRuntime::Current() == nullptr);
  ThreadRuntime::Set(this);
  root_ = tasks_[StartOn(0, "main", std::move(body))].get();
  running_ = root_;
  std::erase(runnable_, root_);
  Fiber::Switch(&main_, root_->fiber.get());
  ThreadRuntime::Set(nullptr);
  Reap();
  return failure_;
}

void Scheduler::Entry() {
  Fiber::Entered();
  auto* self = static_cast<Scheduler*>(ThreadRuntime::Current());
  self->Reap();
  self->running_->body();
  self->Finish();
}

void Scheduler::Finish() {
  Notify(running_, /*all=*/true);
  finished_.push_back(running_->id);
  if (running_ == root_) Fiber::Switch(root_->fiber.get(), &main_);
  SwitchToNext();
  std::abort();  // never reached: no fiber switches to a thread that has ended
}

// The next thread frees the threads that have ended: a thread cannot free its own stack.
void Scheduler::Reap() {
  for (uint64_t id : finished_) tasks_.erase(id);
  finished_.clear();
}

uint64_t Scheduler::Start(const std::string& name, std::function<void()> body) {
  return StartOn(machine(), name, std::move(body));
}

uint64_t Scheduler::StartOn(MachineId machine, const std::string& name,
                            std::function<void()> body) {
  auto task = std::make_unique<Task>();
  task->id = next_id_++;
  task->name = name;
  task->machine = machine;
  task->body = std::move(body);
  task->fiber = std::make_unique<Fiber>(&Scheduler::Entry);
  task->priority = random_.Next();
  MakeRunnable(task.get());
  uint64_t id = task->id;
  tasks_[id] = std::move(task);
  return id;
}

void Scheduler::Join(uint64_t thread) {
  auto task = tasks_.find(thread);
  bool ended = task == tasks_.end() ||
               std::find(finished_.begin(), finished_.end(), thread) != finished_.end();
  if (!ended) Block(task->second.get(), kNever, "joins", task->second->name);
}

MachineId Scheduler::machine() const { return running_->machine; }

MachineClock* Scheduler::ClockOf(MachineId machine) {
  auto& clock = clocks_[machine];
  if (clock == nullptr) clock = std::make_unique<sim::MachineClock>(this);
  return clock.get();
}

void Scheduler::Lock(const void* mutex) {
  if (preempts_ && random_.OneIn(options_.preempt_one_in)) Yield();
  for (;;) {
    auto [holder, taken] = held_.try_emplace(mutex, running_);
    if (taken) return;
    if (holder->second == running_) Fail("a thread locks a mutex that it holds");
    Block(mutex, kNever, "locks what is held by", holder->second->name);
  }
}

void Scheduler::Unlock(const void* mutex) {
  CHECK(held_.erase(mutex) == 1);
  WakeOne(mutex);
}

bool Scheduler::Wait(const void* condition, const void* mutex, int64_t micros) {
  int64_t until_ns = kNever;
  if (micros >= 0) until_ns = now_ns_ + ClockOf(machine())->ToVirtual(micros * 1000);
  Unlock(mutex);
  bool woken = true;
  if (micros < 0 && random_.OneIn(kSpuriousOneIn)) {
    Yield();
  } else {
    woken = Block(condition, until_ns, "waits for a condition", {});
  }
  Lock(mutex);
  return woken;
}

void Scheduler::Notify(const void* condition, bool all) {
  while (waiting_.contains(condition)) {
    WakeOne(condition);
    if (!all) return;
  }
}

void Scheduler::WakeOne(const void* place) {
  auto waiters = waiting_.find(place);
  if (waiters == waiting_.end()) return;
  Unblock(waiters->second[random_.Uniform(waiters->second.size())], /*woken=*/true);
}

void Scheduler::Yield() {
  MakeRunnable(running_);
  SwitchToNext();
}

void Scheduler::Sleep(int64_t nanos, const char* what, std::string_view detail) {
  Block(nullptr, now_ns_ + nanos, what, detail);
}

bool Scheduler::WaitAt(const void* place, int64_t until_ns, const char* what,
                       std::string_view detail) {
  return Block(place, until_ns, what, detail);
}

bool Scheduler::Block(const void* place, int64_t until_ns, const char* what,
                      std::string_view detail) {
  Task* self = running_;
  self->runnable = false;
  self->woken = false;
  self->place = place;
  self->until_ns = until_ns;
  self->what = what;
  self->detail = detail;
  if (place != nullptr) waiting_[place].push_back(self);
  if (until_ns != kNever) timers_.emplace(until_ns, self->id);
  SwitchToNext();
  return self->woken;
}

// Removes the task from all lists.
void Scheduler::Forget(Task* task) {
  if (task->runnable) {
    std::erase(runnable_, task);
    std::erase(frozen_runnable_, task);
    return;
  }
  if (task->until_ns != kNever) timers_.erase({task->until_ns, task->id});
  auto waiters = waiting_.find(task->place);
  if (waiters == waiting_.end()) return;
  std::erase(waiters->second, task);
  if (waiters->second.empty()) waiting_.erase(waiters);
}

void Scheduler::Unblock(Task* task, bool woken) {
  Forget(task);
  task->woken = woken;
  MakeRunnable(task);
}

void Scheduler::MakeRunnable(Task* task) {
  task->runnable = true;
  (frozen_.contains(task->machine) ? frozen_runnable_ : runnable_).push_back(task);
}

void Scheduler::Freeze(MachineId machine) {
  frozen_.insert(machine);
  for (Task* task : std::exchange(runnable_, {})) MakeRunnable(task);
  if (machine == running_->machine) Yield();
}

void Scheduler::Thaw(MachineId machine) {
  frozen_.erase(machine);
  for (Task* task : std::exchange(frozen_runnable_, {})) MakeRunnable(task);
}

void Scheduler::FireTimers() {
  while (!timers_.empty() && timers_.begin()->first <= now_ns_) {
    Unblock(tasks_[timers_.begin()->second].get(), /*woken=*/false);
  }
}

Scheduler::Task* Scheduler::PickNext() {
  now_ns_ += kStepNanos;
  FireTimers();
  while (runnable_.empty()) {  // the threads whose timers fire may be frozen
    if (timers_.empty()) Fail("deadlock: nobody can run, and nothing will happen");
    now_ns_ = timers_.begin()->first;
    FireTimers();
  }
  if (now_ns_ > options_.time_limit_us * 1000) Fail("the run is not over at its time limit");
  auto next = runnable_.begin();
  if (options_.priorities) {
    if (random_.OneIn(kPriorityChangeOneIn)) running_->priority = random_.Next();
    next = std::max_element(next, runnable_.end(),
                            [](const Task* a, const Task* b) { return a->priority < b->priority; });
  } else {
    next += static_cast<ptrdiff_t>(random_.Uniform(runnable_.size()));
  }
  Task* chosen = *next;
  *next = runnable_.back();
  runnable_.pop_back();
  return chosen;
}

void Scheduler::SwitchToNext() {
  Task* next = PickNext();
  uint64_t event[3] = {hash_, next->id, static_cast<uint64_t>(now_ns_)};
  hash_ = engine::Checksum({reinterpret_cast<const char*>(event), sizeof event}, 0);
  if (next == running_) return;
  Fiber* from = running_->fiber.get();
  running_ = next;
  Fiber::Switch(from, next->fiber.get());
  Reap();
}

void Scheduler::DropMachine(MachineId machine) {
  bool suicide = false;
  ++lives_[machine];
  frozen_.erase(machine);
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    Task* victim = task->second.get();
    bool ended = std::find(finished_.begin(), finished_.end(), victim->id) != finished_.end();
    if (victim->machine != machine || ended) {
      ++task;
      continue;
    }
    suicide |= victim == running_;
    if (victim != running_) Forget(victim);
    Notify(victim, /*all=*/true);
    std::erase_if(held_, [victim](const auto& held) { return held.second == victim; });
    victim->fiber->Abandon();
    Dropped()->push_back(task->second.release());
    task = tasks_.erase(task);
  }
  if (suicide) SwitchToNext();
}

void Scheduler::Note(std::string_view event) {
  hash_ = engine::Checksum(event, hash_);
  if (!options_.trace) return;
  fmt::print("{:>12.3f} ms  {} #{} {}: {}\n", static_cast<double>(now_ns_) / 1e6, running_->machine,
             running_->id, running_->name, event);
}

void Scheduler::Fail(const std::string& reason) {
  failure_ = fmt::format("at {} us, thread #{} {} of machine {}: {}\n{}", now_ns_ / 1000,
                         running_->id, running_->name, running_->machine, reason, Dump());
  Fiber::Switch(running_->fiber.get(), &main_);
  std::abort();  // never reached: the run is over
}

std::string Scheduler::Dump() const {
  std::string text = "threads:\n";
  for (const auto& [id, task] : tasks_) {
    text += fmt::format("  #{} {} of machine {}: ", id, task->name, task->machine);
    if (task->runnable) {
      text += task.get() == running_ ? "runs\n" : "can run\n";
    } else if (task->until_ns == kNever) {
      text += fmt::format("{} {}\n", task->what, task->detail);
    } else {
      text += fmt::format("{} {}, until {} us\n", task->what, task->detail, task->until_ns / 1000);
    }
  }
  return text;
}

}  // namespace sippar::sim
