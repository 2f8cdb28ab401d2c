// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/master_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/location/meta_row.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/net/failure.h"

namespace sippar::cluster::master {
namespace {

// StartFailure reports a failure that has occurred this often with the same text.
constexpr int kStartTries = 4;
constexpr int64_t kRequestMicros = 30'000'000;
// Longest time until a waiting request notices that its caller has cancelled it.
constexpr int64_t kCancelCheckMicros = 50'000;
// Largest number of threads of one lane. A lane has this many threads only if as many actions wait
// for servers that hang.
constexpr size_t kWorkersMax = 256;

const Status& Waiting() {
  static const auto* status = new Status(StatusCode::kUnknown, "no reply yet");
  return *status;
}

Status NotMaster() {
  return Unavailable(
      "this process does not have the master lock, or its master is still starting; try again");
}

ActionPlaces PlacesUntil(ActionPlaces places, const CancelFlag& ends) {
  places.cancel = ends;
  return places;
}

}  // namespace

MasterDriver::Reign::Reign(std::unique_ptr<LockSession> held, const MasterDriverOptions& options,
                           uint64_t its_epoch)
    : session(std::move(held)),
      job(PlacesUntil(options.places, ends), session.get(), its_epoch),
      epoch(its_epoch) {
  for (uint8_t lane = 0; lane < kLanes; ++lane) {
    queues.emplace_back(lane == kUser ? options.user_threads : options.threads);
  }
}

MasterDriver::MasterDriver(MasterDriverOptions options) : options_(std::move(options)) {
  for (auto& workers : workers_) {
    workers = std::make_unique<net::LaneThreads>("master-work", kWorkersMax, SIZE_MAX);
  }
  holder_ = engine::Thread("master", [this] { Live(); });
}

MasterDriver::~MasterDriver() { Stop(); }

void MasterDriver::Stop() {
  {
    engine::MutexLock lock(&mutex_);
    stopping_ = true;
    wake_.NotifyAll();
    replied_.NotifyAll();
    if (reign_ != nullptr) *reign_->ends = true;
  }
  holder_.Join();
  for (auto& workers : workers_) workers->Stop();
}

bool MasterDriver::Sleep(int64_t micros) {
  engine::MutexLock lock(&mutex_);
  if (!stopping_) wake_.WaitFor(&mutex_, micros);
  return !stopping_;
}

void MasterDriver::Live() {
  for (;;) {
    std::unique_ptr<LockSession> session = WaitForLock();
    if (session == nullptr) return;
    // The epoch is taken while the lock is held, so a later master always has a higher epoch.
    auto epoch = session->NextEpoch();
    if (!epoch.ok()) {
      static_cast<void>(session->Close());  // if this fails, the session times out
      if (!Sleep(kRetryMicros)) return;
      continue;
    }
    auto reign = std::make_shared<Reign>(std::move(session), options_, *epoch);
    reign->state.options = options_.policy;
    reign->state.options.root_limit = RootRange().limit;
    reign->state.random = engine::Random(options_.seed ^ *epoch);
    Hold(reign);
    End(reign);
    if (!Sleep(0)) return;  // Stop was called: the lock must not be taken again
  }
}

// Runs the master while it holds the lock: renews the session, and passes a Tick to the state
// machine every tick_us. Returns when the lock may have been lost or Stop is called.
void MasterDriver::Hold(const std::shared_ptr<Reign>& reign) {
  {
    engine::MutexLock lock(&mutex_);
    reign_ = reign;
    watching_ = false;
    FeedLocked(event::LockTaken{reign->epoch});
  }
  int64_t deadline_ns = 0;
  int64_t renew_ns = 0;
  do {
    int64_t now_ns = options_.places.clock->MonotonicNanos();
    if (now_ns >= renew_ns) {
      auto lease_end = reign->session->Heartbeat();
      if (HasCause(lease_end.status(), Cause::kSessionOver)) return;
      // The master stops relying on the lock a fifth of the timeout before the session can be over,
      // because PROTOCOL.md allows clocks to differ in rate by 20 %.
      if (lease_end.ok()) deadline_ns = *lease_end - options_.session_us * 1000 / 5;
      renew_ns = now_ns + options_.session_us * 1000 / 4;
    }
    if (options_.places.clock->MonotonicNanos() >= deadline_ns) return;
    WatchServers(reign.get());
    Feed(reign, event::Tick{options_.places.clock->NowMicros()});
  } while (Sleep(options_.tick_us));
}

// A watch fires once, so it is set again after it has fired. A watch is only a hint, so Step also
// lists servers/ from time to time.
void MasterDriver::WatchServers(Reign* reign) {
  if (watching_.exchange(true)) return;
  Status watched = reign->session->Watch(lock_paths::Servers(), [this] { ServersChanged(); });
  if (!watched.ok()) watching_ = false;
}

void MasterDriver::End(const std::shared_ptr<Reign>& reign) {
  {
    engine::MutexLock lock(&mutex_);
    reign_ = nullptr;
    // Actions that have not begun are dropped: the next master makes its own decisions.
    for (LaneQueue& queue : reign->queues) queue.Clear();
    *reign->ends = true;
    for (auto& [request, status] : replies_) {
      if (status == Waiting()) status = Unavailable("the master has lost its lock; try again");
    }
    replied_.NotifyAll();
  }
  Status closed = reign->session->Close();
  static_cast<void>(closed);  // if this fails, the session times out
}

void MasterDriver::Dispatch() {
  const int64_t now_us = NowMicros();
  for (uint8_t lane = 0; lane < kLanes; ++lane) {
    LaneQueue* queue = &reign_->queues[lane];
    while (std::optional<Action> action = queue->Begin(now_us)) {
      auto work = [this, reign = reign_, lane, action = *action] {
        CarryOut(reign, static_cast<Lane>(lane), action);
      };
      if (workers_[lane]->Run(std::move(work))) continue;
      queue->PutBack(*std::move(action));  // no thread could start; the next tick tries again
      break;
    }
  }
}

void MasterDriver::CarryOut(const std::shared_ptr<Reign>& reign, Lane lane, const Action& action) {
  {
    engine::MutexLock lock(&mutex_);
    if (stopping_ || reign_ != reign) return;
  }
  const event::Done done = reign->job.CarryOut(action);
  engine::MutexLock lock(&mutex_);
  // An answer for an earlier reign is dropped, because its epoch is over.
  if (reign_ != reign) return;
  reign->queues[lane].End(action.op);
  FeedLocked(done);
}

void MasterDriver::Feed(const std::shared_ptr<Reign>& reign, const Event& event) {
  engine::MutexLock lock(&mutex_);
  if (reign_ == reign) FeedLocked(event);
}

void MasterDriver::NoteFailure(const Status& status) {
  // Single failures are normal during a start, and their actions are retried.
  if (++start_failures_[status.ToString()] < kStartTries) return;
  start_failure_ = status;
}

Status MasterDriver::StartFailure() {
  engine::MutexLock lock(&mutex_);
  return start_failure_;
}

void MasterDriver::FeedLocked(const Event& event) {
  const auto* done = std::get_if<event::Done>(&event);
  const bool has_failed = done != nullptr && !done->status.ok();
  if (has_failed && reign_->state.stage != StartStage::kRunning) NoteFailure(done->status);
  for (Action& action : Step(&reign_->state, event, NowMicros())) {
    if (const auto* reply = std::get_if<action::Reply>(&action.body)) {
      auto waiting = replies_.find(reply->request);
      if (waiting != replies_.end()) waiting->second = reply->status;
      replied_.NotifyAll();
      continue;
    }
    const Lane lane = LaneOf(action.body);
    reign_->queues[lane].Push(std::move(action));
  }
  Dispatch();
  if (reign_->state.stage != StartStage::kRunning) return;
  start_failures_.clear();
  start_failure_ = OkStatus();
  replied_.NotifyAll();
}

Status MasterDriver::WaitUntilRunning(int64_t timeout_us) {
  const int64_t deadline_us = NowMicros() + timeout_us;
  engine::MutexLock lock(&mutex_);
  while (!stopping_ &&
         (reign_ == nullptr || reign_->state.stage != reign_->state.options.last_stage)) {
    int64_t left_us = deadline_us - NowMicros();
    if (left_us <= 0) return DeadlineExceeded("the master has not started in time; try again");
    replied_.WaitFor(&mutex_, left_us);
  }
  return stopping_ ? NotMaster() : OkStatus();
}

Status MasterDriver::Request(const CallTime& time,
                             const std::function<Event(uint64_t request)>& make) {
  const CallOptions left = time.Left();
  const int64_t deadline_us =
      NowMicros() +
      (left.timeout_us > 0 ? std::min(left.timeout_us, kRequestMicros) : kRequestMicros);
  const int64_t nap_us = left.cancel == nullptr ? kRequestMicros : kCancelCheckMicros;
  engine::MutexLock lock(&mutex_);
  if (reign_ == nullptr) return net::MarkNotTaken(NotMaster());
  uint64_t request = next_request_++;
  // The reference stays valid while other requests are added and removed, because replies_ is a
  // std::map.
  Status& reply = replies_[request] = Waiting();
  FeedLocked(make(request));
  Status status = Waiting();
  while (!stopping_ && reply == Waiting() && !left.is_cancelled() && NowMicros() < deadline_us) {
    replied_.WaitFor(&mutex_, std::min(deadline_us - NowMicros(), nap_us));
  }
  status = reply;
  replies_.erase(request);
  if (status == Waiting()) {
    if (left.is_cancelled())
      return Cancelled("the call was cancelled; the change may still happen");
    return DeadlineExceeded("the master did not reply in time; the change may still happen");
  }
  return status;
}

Status MasterDriver::Look(const std::function<void(MasterState& state)>& look) {
  engine::MutexLock lock(&mutex_);
  if (reign_ == nullptr || reign_->state.stage != StartStage::kRunning) return NotMaster();
  look(reign_->state);
  return OkStatus();
}

Status MasterDriver::LookInAnyStage(
    const std::function<void(const std::string& name, const MasterState& state)>& look) {
  engine::MutexLock lock(&mutex_);
  if (reign_ == nullptr) return NotMaster();
  look(options_.name, reign_->state);
  return OkStatus();
}

StatusOr<std::shared_ptr<LockSession>> MasterDriver::Session() {
  engine::MutexLock lock(&mutex_);
  if (reign_ == nullptr) return NotMaster();
  return std::shared_ptr<LockSession>(reign_, reign_->session.get());
}

bool MasterDriver::IsRunning() {
  return Look([](MasterState&) {}).ok();
}

bool MasterDriver::Reigns() {
  engine::MutexLock lock(&mutex_);
  return reign_ != nullptr;
}

// May be called from any thread, also within a call to the lock service: it takes only mutex_,
// which is never held during such a call.
void MasterDriver::ServersChanged() {
  watching_ = false;
  engine::MutexLock lock(&mutex_);
  if (reign_ != nullptr) FeedLocked(event::ServersChanged{});
}

Status MasterDriver::Perform(const calls::SplitDone& asked) {
  engine::MutexLock lock(&mutex_);
  if (reign_ == nullptr) return NotMaster();
  FeedLocked(event::SplitDone{asked.server, asked.parent_tablet_id});
  return OkStatus();
}

}  // namespace sippar::cluster::master
