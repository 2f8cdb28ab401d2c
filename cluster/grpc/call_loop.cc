// An "absence" is the time that the loop's thread spends in a call instead of waiting for events
// (call_loop.h). The guard thread costs nothing while no calls come: it sleeps until an absence
// wakes it, looks every 2 ms while absences follow each other, and sleeps again after 10 looks
// without a new one. Waking it for each absence would cost the thread switch that the loop is meant
// to save.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/call_loop.h"

#include <grpc/support/time.h>
#include <malloc.h>
#include <sys/resource.h>

#include <utility>

#include "engine/base/clock.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kLookAgainUs = 1000;
constexpr int64_t kGuardUs = 2000;          // time between two looks of the guard
constexpr int kGuardedMax = 10;             // looks without an absence before the guard sleeps
constexpr int64_t kLongNanos = 100'000;     // a shorter absence never counts as long
constexpr int64_t kLongCpuMicros = 300;     // more CPU time makes an absence long
constexpr int64_t kStayNanos = 20'000'000;  // time after a long absence in which none is granted
// Malloc is trimmed after a burst of calls: once there were this many absences since the last trim,
// and then none for this time.
constexpr uint64_t kManyAbsences = 1000;
constexpr int64_t kTrimUs = 5'000'000;

int64_t NowNanos() { return engine::Clock::System()->MonotonicNanos(); }

// Resource usage of this thread so far.
rusage Usage() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

int64_t CpuMicros(const rusage& usage) {
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000 + usage.ru_utime.tv_usec +
         usage.ru_stime.tv_usec;
}

// True if the absence used much CPU time or blocked. Elapsed time alone proves nothing: the kernel
// may have given the core to other threads. An involuntary switch does not count as blocking.
bool WasLong(int64_t nanos, const rusage& before) {
  if (nanos < kLongNanos) return false;
  const rusage now = Usage();
  return now.ru_nvcsw != before.ru_nvcsw || CpuMicros(now) - CpuMicros(before) > kLongCpuMicros;
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
  usage_ = Usage();
  loop->absences_.fetch_add(1);
  if (!loop->guard_sleeps_) return;
  engine::MutexLock lock(&loop->mutex_);
  loop->guard_sleeps_ = false;
  loop->wake_.NotifyOne();
}

CallLoop::Absence::~Absence() {
  if (!is_granted()) return;
  int64_t now = NowNanos();
  if (WasLong(now - since_nanos_, usage_)) loop_->stay_until_nanos_ = now + kStayNanos;
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
  if (!is_quiet) CallEvent::Tell(tag, ok);
  *looks_again = look_(is_quiet);
  return true;
}

void CallLoop::Run() {
  bool looks_again = false;
  while (Handle(&looks_again)) continue;
}

void CallLoop::Guard() {
  uint64_t seen = 0;
  uint64_t seen_at_trim = 0;
  int idle = kGuardedMax;
  mutex_.Lock();
  while (!is_stopping_) {
    if (idle >= kGuardedMax) {
      guard_sleeps_ = true;
      // No wake-up is lost: an absence that begins after guard_sleeps_ was set wakes the guard, and
      // one that began before it has raised absences_.
      while (guard_sleeps_ && absences_ == seen && !is_stopping_) {
        if (seen - seen_at_trim < kManyAbsences) {
          wake_.Wait(&mutex_);
        } else if (!wake_.WaitFor(&mutex_, kTrimUs)) {
          seen_at_trim = seen;
          mutex_.Unlock();
          malloc_trim(0);  // malloc keeps the memory that a burst of calls used
          mutex_.Lock();
        }
      }
      guard_sleeps_ = false;
    } else {
      wake_.WaitFor(&mutex_, kGuardUs);
    }
    const uint64_t absences = absences_;
    idle = absences == seen ? idle + 1 : 0;
    seen = absences;
    // The guard takes over only if the absence has lasted as long as the time between two looks.
    // Nearly all absences have ended by then.
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
  // Handle must not wait without limit here: the guard must notice when the loop's thread returns,
  // and no event reports that. The guard goes on while `look` asks to be called again, because the
  // loop's thread may wait without limit and does not know of calls that the guard has accepted.
  bool is_needed = true;
  while (is_needed) {
    bool looks_again = true;
    if (!Handle(&looks_again)) return;
    is_needed = looks_again || away_since_nanos_ == since_nanos;
  }
}

}  // namespace sippar::cluster
