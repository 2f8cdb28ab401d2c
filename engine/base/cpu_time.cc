// SPDX-License-Identifier: Apache-2.0
#include "engine/base/cpu_time.h"

#include <pthread.h>
#include <sys/resource.h>

namespace sippar::engine {
namespace {

// A prime, so that calls that come in a regular order are all measured in turn.
constexpr uint32_t kMany = 127;

// In a simulation all fibers share it, and it decides nothing but what is measured.
thread_local uint32_t scopes_begun = 0;

int64_t NanosOf(clockid_t clock) {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return 0;
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

int64_t ProcessCpuMicros() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto micros = [](const timeval& time) { return int64_t{time.tv_sec} * 1'000'000 + time.tv_usec; };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

int64_t CpuCount::Micros() const {
  MutexLock lock(&mutex_);
  int64_t nanos = ended_nanos_;
  // The threads of open scopes run at least until their scopes have taken the mutex to end, so
  // their clocks exist.
  for (const Open& open : open_) nanos += NanosOf(open.clock) - open.start_nanos;
  return nanos / 1000;
}

std::list<CpuCount::Open>::iterator CpuCount::Begin() {
  Open open{CLOCK_THREAD_CPUTIME_ID, 0};
  ::pthread_getcpuclockid(::pthread_self(), &open.clock);
  open.start_nanos = NanosOf(open.clock);
  MutexLock lock(&mutex_);
  return open_.insert(open_.end(), open);
}

void CpuCount::End(std::list<Open>::iterator open) {
  const int64_t now_nanos = NanosOf(CLOCK_THREAD_CPUTIME_ID);
  MutexLock lock(&mutex_);
  ended_nanos_ += now_nanos - open->start_nanos;
  open_.erase(open);
}

void CpuCount::Add(int64_t nanos) {
  MutexLock lock(&mutex_);
  ended_nanos_ += nanos;
}

CpuScope::CpuScope(CpuCount* count, Counting counting) : count_(count), counting_(counting) {
  if (count_ == nullptr) return;
  if (counting_ == kEach) {
    open_ = count_->Begin();
  } else if (++scopes_begun % kMany == 0) {
    start_nanos_ = NanosOf(CLOCK_THREAD_CPUTIME_ID);
  } else {
    count_ = nullptr;
  }
}

void CpuScope::End() {
  if (counting_ == kEach) return count_->End(open_);
  count_->Add((NanosOf(CLOCK_THREAD_CPUTIME_ID) - start_nanos_) * kMany);
}

}  // namespace sippar::engine
