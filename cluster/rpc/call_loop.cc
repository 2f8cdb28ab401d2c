// The loop and its guard. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/call_loop.h"

#include <grpc/support/time.h>
#include <sys/resource.h>

#include <utility>

#include "engine/base/clock.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kLookAgainUs = 1000;
constexpr int64_t kGuardUs = 2000;       // between two looks of the guard
constexpr int kGuardedMax = 10;          // looks without an absence, after which it sleeps
constexpr int64_t kLongNanos = 100'000;  // of a wait, as for a disk
constexpr int64_t kStayNanos = 20'000'000;

int64_t NowNanos() { return engine::Clock::System()->MonotonicNanos(); }

// How often this thread has given up its core by itself, so far.
int64_t WaitsOfThread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

}  // namespace

CallLoop::Guest::Guest(CallLoop* loop) : loop_(loop) {
  engine::MutexLock lock(&loop->mutex_);
  ++loop->guests_;
}

CallLoop::Guest::~Guest() {
  engine::MutexLock lock(&loop_->mutex_);
  if (--loop_->guests_ == 0) loop_->left_.NotifyAll();
}

CallLoop::Absence::Absence(CallLoop* loop) : loop_(loop) {
  int64_t now = NowNanos();
  if (now < loop->stay_until_nanos_) return;
  int64_t nobody = 0;
  if (!loop->away_since_nanos_.compare_exchange_strong(nobody, now)) return;
  since_nanos_ = now;
  waits_ = WaitsOfThread();
  loop->absences_.fetch_add(1);
  if (!loop->guard_sleeps_) return;
  engine::MutexLock lock(&loop->mutex_);
  loop->guard_sleeps_ = false;
  loop->wake_.NotifyOne();
}

CallLoop::Absence::~Absence() {
  if (!is_granted()) return;
  int64_t now = NowNanos();
  // Not when others were given the core meanwhile.
  if (now - since_nanos_ > kLongNanos && WaitsOfThread() != waits_)
    loop_->stay_until_nanos_ = now + kStayNanos;
  loop_->away_since_nanos_ = 0;
}

void CallLoop::Start(std::function<bool(bool)> look) {
  look_ = std::move(look);
  thread_ = engine::Thread("call-loop", [this] { Run(); });
  guard_ = engine::Thread("call-guard", [this] { Guard(); });
}

void CallLoop::Stop() {
  mutex_.Lock();
  while (guests_ > 0) left_.Wait(&mutex_);
  mutex_.Unlock();
  queue_->Shutdown();
  thread_.Join();
  {
    engine::MutexLock lock(&mutex_);
    is_stopping_ = true;
    wake_.NotifyOne();
  }
  guard_.Join();
}

bool CallLoop::Handle(bool* looks_again) {
  const gpr_timespec until = *looks_again
                                 ? gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                                gpr_time_from_micros(kLookAgainUs, GPR_TIMESPAN))
                                 : gpr_inf_future(GPR_CLOCK_MONOTONIC);
  void* tag = nullptr;
  bool ok = false;
  auto next = queue_->AsyncNext(&tag, &ok, until);
  if (next == grpc::CompletionQueue::SHUTDOWN) return false;
  bool is_quiet = next == grpc::CompletionQueue::TIMEOUT;
  if (!is_quiet) static_cast<CallEvent*>(tag)->Happened(ok);
  *looks_again = look_(is_quiet);
  return true;
}

void CallLoop::Run() {
  bool looks_again = false;
  while (Handle(&looks_again)) continue;
}

void CallLoop::Guard() {
  uint64_t seen = 0;
  int idle = kGuardedMax;
  mutex_.Lock();
  while (!is_stopping_) {
    if (idle >= kGuardedMax) {
      guard_sleeps_ = true;
      // Who leaves from here on wakes it; who left just now is seen.
      while (guard_sleeps_ && absences_ == seen && !is_stopping_) wake_.Wait(&mutex_);
      guard_sleeps_ = false;
    } else {
      wake_.WaitFor(&mutex_, kGuardUs);
    }
    idle = std::exchange(seen, absences_.load()) == seen ? idle + 1 : 0;
    int64_t since = away_since_nanos_;
    if (since == 0 || NowNanos() - since < kGuardUs * 1000) continue;
    mutex_.Unlock();
    StandIn(since);
    mutex_.Lock();
    idle = 0;
  }
  mutex_.Unlock();
}

void CallLoop::StandIn(int64_t since_nanos) {
  bool looks_again = true;  // it has to see when the other one is back
  while (away_since_nanos_ == since_nanos && Handle(&looks_again)) looks_again = true;
}

}  // namespace sippar::cluster
