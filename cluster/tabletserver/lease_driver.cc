// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/lease_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/lock/store_mark.h"

namespace sippar::cluster {
namespace {

using engine::MutexLock;

// Longest step of the watchdog in microseconds. The watchdog acts late by at most this time.
constexpr int64_t kWatchdogStepMax = 100'000;
constexpr int64_t kEnded = INT64_MIN;  // value of serve_until_nanos_ after the end of serving

}  // namespace

StatusOr<std::unique_ptr<LeaseDriver>> LeaseDriver::Start(LeaseOptions options,
                                                          std::shared_ptr<LockSession> session) {
  ASSIGN_OR_RETURN(int64_t over_at_nanos, session->Heartbeat());
  bool endless = options.session.timeout_us == 0;
  LeaseState state = StartLease(options.session.timeout_us * 1000, over_at_nanos);
  std::unique_ptr<LeaseDriver> driver(
      new LeaseDriver(std::move(options), std::move(session), state));
  if (endless) return driver;
  LeaseDriver* self = driver.get();
  driver->driver_ = engine::Thread("lease", [self] { self->Drive(); });
  driver->watchdog_ = engine::Thread("lease-watchdog", [self] { self->Watch(); });
  return driver;
}

LeaseDriver::LeaseDriver(LeaseOptions options, std::shared_ptr<LockSession> session,
                         LeaseState state)
    : options_(std::move(options)),
      clock_(options_.session.clock),
      state_(state),
      serve_until_nanos_(state.serve_until_nanos),
      confirm_by_nanos_(state.confirm_by_nanos),
      session_(std::move(session)) {}

LeaseDriver::~LeaseDriver() { Stop(); }

void LeaseDriver::End() {
  serve_until_nanos_ = kEnded;
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
  }
  wake_.NotifyAll();
}

void LeaseDriver::Stop() {
  End();
  driver_.Join();
  stop_watchdog_ = true;  // after the join, because the driver may hang until then
  watchdog_.Join();
}

std::shared_ptr<LockSession> LeaseDriver::session() const {
  MutexLock lock(&mutex_);
  return session_;
}

std::optional<int64_t> LeaseDriver::LeftMicros() const {
  if (options_.session.timeout_us == 0) return std::nullopt;
  const int64_t until_nanos = serve_until_nanos_.load(std::memory_order_acquire);
  return until_nanos == kEnded ? -1 : (until_nanos - clock_->MonotonicNanos()) / 1000;
}

Status LeaseDriver::LeaseOver() const {
  return Unavailable(fmt::format(
      "the lease of this server ({}) has ended or is in doubt; look the tablet up again",
      options_.path));
}

Status LeaseDriver::Leave() {
  Stop();
  std::shared_ptr<LockSession> last = session();
  auto file = last->Read(options_.path);
  Status removed = file.ok() ? last->Remove(options_.path, file->version) : file.status();
  if (removed.code() == StatusCode::kNotFound) removed = OkStatus();
  Status closed = last->Close();
  return removed.ok() ? closed : removed;
}

void LeaseDriver::Abandon() {
  Stop();
  MutexLock lock(&mutex_);
  session_.reset();
}

void LeaseDriver::Drive() {
  while (true) {
    int64_t now_nanos = clock_->MonotonicNanos();
    {
      MutexLock lock(&mutex_);
      if (stopping_) return;
      int64_t wait_us = (WakeAt(state_) - now_nanos) / 1000 + 1;
      if (NextAction(state_, now_nanos) == LeaseAction::kWait) wake_.WaitFor(&mutex_, wait_us);
      if (stopping_) return;
    }
    // The wait may have ended late, so the state is updated to the present before the next action
    // is chosen.
    Step({LeaseEvent::kTick});
    switch (NextAction(state_, clock_->MonotonicNanos())) {
      case LeaseAction::kWait:
        break;
      case LeaseAction::kAsk:
        Step({LeaseEvent::kSent});
        Step(Ask());
        break;
      case LeaseAction::kRegain:
        Step({LeaseEvent::kSent});
        Step(Regain());
        break;
      case LeaseAction::kEnd:
        options_.end_process(why_gone_);
        return;
    }
  }
}

// Stops serving before it calls on_change, and publishes the watchdog's new time only after that.
// So the watchdog also covers a callback that hangs.
void LeaseDriver::Step(const LeaseEvent& event) {
  LeaseState before = std::exchange(state_, StepLease(state_, event, clock_->MonotonicNanos()));
  // The exchange fails if the value is kEnded, so kEnded is never overwritten.
  int64_t published = before.serve_until_nanos;
  serve_until_nanos_.compare_exchange_strong(published, state_.serve_until_nanos,
                                             std::memory_order_acq_rel);
  bool served = before.phase == LeasePhase::kHeld;
  bool serves = state_.phase == LeasePhase::kHeld;
  if (served != serves && options_.on_change) options_.on_change(serves);
  confirm_by_nanos_.store(state_.confirm_by_nanos, std::memory_order_release);
}

namespace {

constexpr const char* kClusterGone =
    "the lock service does not know this cluster any more, so the data of "
    "the lock service were wiped or replaced; `sippar admin doctor TARGET` "
    "says the way back";
constexpr const char* kOtherStore = "the cluster has another store now, or none";

LeaseEvent EventOf(const Status& status) {
  if (HasCause(status, Cause::kSessionOver)) return {LeaseEvent::kOver};
  switch (status.code()) {
    case StatusCode::kAlreadyExists:  // another session has the lock
      return {LeaseEvent::kOver};
    case StatusCode::kNotFound:
    case StatusCode::kAborted:  // CheckStoreMark: the cluster has another store, or none
      return {LeaseEvent::kFileGone};
    default:
      return {LeaseEvent::kNoAnswer};
  }
}

}  // namespace

// Reads the lock file, too, because an administrator may have removed it while the session is alive
// (tests/FAULTS.md L2).
LeaseEvent LeaseDriver::Ask() {
  std::shared_ptr<LockSession> asked = session();
  auto over_at_nanos = asked->Heartbeat();
  if (!over_at_nanos.ok()) return EventOf(over_at_nanos.status());
  // The cached file is not older than the heartbeat.
  auto file = asked->Read(options_.path, Freshness::kCached);
  if (!file.ok()) return EventOf(file.status());
  if (file->holder != asked->id()) return {LeaseEvent::kOver};
  return {LeaseEvent::kAlive, *over_at_nanos};
}

LeaseEvent LeaseDriver::Regain() {
  auto opened = options_.service->OpenSession(options_.session);
  if (opened.status().code() == StatusCode::kNotFound) why_gone_ = kClusterGone;
  if (!opened.ok()) return EventOf(opened.status());
  std::shared_ptr<LockSession> fresh = std::move(*opened);
  Status gained = fresh->Acquire(options_.path).status();
  if (gained.ok()) gained = CheckStoreMark(fresh.get(), options_.store_mark);
  if (gained.code() == StatusCode::kAborted) why_gone_ = kOtherStore;
  auto over_at_nanos = gained.ok() ? fresh->Heartbeat() : StatusOr<int64_t>(gained);
  if (!over_at_nanos.ok()) {
    (void)fresh->Close();  // if this fails, the session times out
    return EventOf(over_at_nanos.status());
  }
  MutexLock lock(&mutex_);
  session_.swap(fresh);  // the old session is destroyed after the mutex is released
  return {LeaseEvent::kAlive, *over_at_nanos};
}

// A call to the lock service takes at most a third of the session's timeout, so a driver thread
// that does not hang makes a step within half of the timeout. The watchdog counts only time in
// which it runs itself: after a freeze of the whole process, the driver finds out what became of
// the lease.
void LeaseDriver::Watch() {
  const int64_t patience_us = options_.session.timeout_us / 2;
  const int64_t step_us = std::clamp<int64_t>(patience_us / 10, 1, kWatchdogStepMax);
  int64_t waited_us = 0;
  while (!stop_watchdog_.load(std::memory_order_acquire)) {
    bool late = clock_->MonotonicNanos() >= confirm_by_nanos_.load(std::memory_order_acquire);
    waited_us = late ? waited_us + step_us : 0;
    const char* why = options_.overdue_call ? options_.overdue_call(step_us) : nullptr;
    if (waited_us > patience_us) why = "the lease has ended and the thread that renews it hangs";
    if (why != nullptr) {
      serve_until_nanos_.store(kEnded, std::memory_order_release);
      options_.end_process(why);
      return;
    }
    clock_->SleepMicros(step_us);
  }
}

}  // namespace sippar::cluster
