// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/master_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/location/meta_row.h"
#include "cluster/lock/lock_paths.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kLockPollMicros = 100'000;
// A master that stands by learns from a watch that the lock is free, and looks now and then, since
// a watch is only a hint.
constexpr int64_t kStandByMicros = 1'000'000;
// Failures with the same text after which StartFailure reports it.
constexpr int kStartTries = 4;
constexpr int64_t kRequestMicros = 30'000'000;
// Longest time until a waiting request notices that its caller has cancelled it.
constexpr int64_t kCancelCheckMicros = 50'000;

const Status& Waiting() {
  static const auto* status = new Status(StatusCode::kUnknown, "no reply yet");
  return *status;
}

Status NotMaster() {
  return Unavailable(
      "this process does not have the master lock, or its master is still starting; try again");
}

}  // namespace

MasterDriver::MasterDriver(MasterDriverOptions options) : options_(std::move(options)) {
  for (uint8_t lane = 0; lane < kLanes; ++lane) {
    size_t threads = lane == kUser ? options_.user_threads : options_.threads;
    for (size_t i = 0; i < threads; ++i) {
      workers_.emplace_back("master-work", [this, lane] { Serve(static_cast<Lane>(lane)); });
    }
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
    for (engine::CondVar& work : work_) work.NotifyAll();
  }
  holder_.Join();
  workers_.clear();
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
    // The epoch is taken under the lock, so a later master always has a higher one.
    auto epoch = session->NextEpoch();
    if (!epoch.ok()) {
      if (!Sleep(kLockPollMicros)) return;
      continue;
    }
    auto reign = std::make_shared<Reign>(std::move(session), options_.places, *epoch);
    reign->state.options = options_.policy;
    reign->state.options.root_limit = RootRange().limit;
    reign->state.random = engine::Random(options_.seed ^ *epoch);
    Hold(reign);
    End(reign);
    if (!Sleep(0)) return;  // Stop: the lock was given up and must not be taken again
  }
}

// Returns a session that holds the master lock, or nullptr when stopping.
std::unique_ptr<LockSession> MasterDriver::WaitForLock() {
  std::unique_ptr<LockSession> session;
  bool is_known = false;
  do {
    if (session == nullptr) {
      is_known = !options_.member.has_value();
      SessionOptions options;
      options.name = "master " + options_.name;
      options.timeout_us = options_.session_us;
      options.clock = options_.places.clock;
      auto opened = options_.locks->OpenSession(options);
      if (!opened.ok()) continue;
      session = *std::move(opened);
    }
    Status status = is_known ? OkStatus() : MakeKnown(session.get());
    is_known = is_known || status.ok();
    if (is_known) status = TryToReign(session.get());
    if (status.ok()) return session;
    if (!session->Heartbeat().ok()) session = nullptr;
    if (status.code() == StatusCode::kAlreadyExists && session != nullptr) {
      AwaitChange(session.get());
    }
  } while (Sleep(kLockPollMicros));
  return nullptr;
}

// Makes the candidate's file. That of an earlier process with its name stays until the session of
// that one is over.
Status MasterDriver::MakeKnown(LockSession* session) {
  const std::string path = lock_paths::Master(options_.name);
  Status made = session->Create(path, options_.member->Encode(), LockFileKind::kEphemeral).status();
  if (made.code() != StatusCode::kAlreadyExists) return made;
  ASSIGN_OR_RETURN(LockFile file, session->Read(path));
  return file.holder == session->id() ? OkStatus()
                                      : Unavailable("another master has this name: " + path);
}

// kAlreadyExists: another session holds the lock.
Status MasterDriver::TryToReign(LockSession* session) {
  auto file = session->Read(lock_paths::MasterLock());
  if (file.status().code() == StatusCode::kNotFound) {
    // Only the first master of a cluster makes the file.
    Status made = session->Create(lock_paths::MasterLock(), "", LockFileKind::kLasting).status();
    if (!made.ok() && made.code() != StatusCode::kAlreadyExists) return made;
  } else {
    RETURN_IF_ERROR(file.status());
    if (file->holder != 0 && file->holder != session->id()) {
      return AlreadyExists("another master reigns");
    }
  }
  ASSIGN_OR_RETURN(uint64_t fence, session->Acquire(lock_paths::MasterLock()));
  return options_.member.has_value() ? TellAddress(session, fence) : OkStatus();
}

// The fencing number in the record tells it from what an earlier master wrote.
Status MasterDriver::TellAddress(LockSession* session, uint64_t fence) {
  MemberRecord record = *options_.member;
  record.fence = fence;
  ASSIGN_OR_RETURN(LockFile file, session->Read(lock_paths::MasterLock()));
  return session->Write(lock_paths::MasterLock(), record.Encode(), file.version).status();
}

// Returns when the lock may have become free, or after kStandByMicros.
void MasterDriver::AwaitChange(LockSession* session) {
  Status watched = session->Watch(lock_paths::MasterLock(), [this] {
    engine::MutexLock lock(&mutex_);
    lock_may_be_free_ = true;
    wake_.NotifyAll();
  });
  if (!watched.ok()) return;
  // It may have become free before the watch.
  auto file = session->Read(lock_paths::MasterLock());
  if (!file.ok() || file->holder == 0) return;
  engine::MutexLock lock(&mutex_);
  const int64_t limit_us = options_.session_us > 0 ? options_.session_us / 4 : kStandByMicros;
  if (!stopping_ && !lock_may_be_free_) {
    wake_.WaitFor(&mutex_, std::min(limit_us, kStandByMicros));
  }
  lock_may_be_free_ = false;
}

// Feeds ticks until the lock may be lost or Stop is called.
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
      // Stops relying on the lock a fifth of the timeout before the session can be over:
      // PROTOCOL.md allows clocks to differ in rate by 20 %.
      if (lease_end.ok()) deadline_ns = *lease_end - options_.session_us * 1000 / 5;
      renew_ns = now_ns + options_.session_us * 1000 / 4;
    }
    if (options_.places.clock->MonotonicNanos() >= deadline_ns) return;
    WatchServers(reign.get());
    Feed(reign, event::Tick{options_.places.clock->NowMicros()});
  } while (Sleep(options_.tick_us));
}

// A watch fires once and is then armed again. It is only a hint; the step also polls servers/.
void MasterDriver::WatchServers(Reign* reign) {
  if (watching_.exchange(true)) return;
  Status watched = reign->session->Watch(lock_paths::Servers(), [this] { ServersChanged(); });
  if (!watched.ok()) watching_ = false;
}

void MasterDriver::End(const std::shared_ptr<Reign>& reign) {
  {
    engine::MutexLock lock(&mutex_);
    reign_ = nullptr;
    // Actions that have not begun are dropped: the next master decides again.
    for (auto& queue : queues_) queue.clear();
    for (auto& [request, status] : replies_) {
      if (status == Waiting()) status = Unavailable("the master has lost its lock; try again");
    }
    replied_.NotifyAll();
  }
  Status closed = reign->session->Close();
  static_cast<void>(closed);  // if it fails, the session times out
}

void MasterDriver::Serve(Lane lane) {
  for (;;) {
    Work work;
    {
      engine::MutexLock lock(&mutex_);
      while (!stopping_ && queues_[lane].empty()) work_[lane].Wait(&mutex_);
      if (stopping_) return;
      work = std::move(queues_[lane].front());
      queues_[lane].pop_front();
    }
    Feed(work.reign, work.reign->job.CarryOut(work.action));
  }
}

void MasterDriver::Feed(const std::shared_ptr<Reign>& reign, const Event& event) {
  engine::MutexLock lock(&mutex_);
  // Answers for an earlier reign are dropped: its epoch is over.
  if (reign_ == reign) FeedLocked(event);
}

void MasterDriver::NoteFailure(const Event& event) {
  const auto* done = std::get_if<event::Done>(&event);
  if (done == nullptr || done->status.ok()) return;
  // Single failures are normal during a start, and the step retries them.
  if (++start_failures_[done->status.ToString()] < kStartTries) return;
  start_failure_ = done->status;
}

Status MasterDriver::StartFailure() {
  engine::MutexLock lock(&mutex_);
  return start_failure_;
}

void MasterDriver::FeedLocked(const Event& event) {
  if (reign_->state.stage != StartStage::kRunning) NoteFailure(event);
  for (Action& action : Step(&reign_->state, event, NowMicros())) {
    if (const auto* reply = std::get_if<action::Reply>(&action.body)) {
      auto waiting = replies_.find(reply->request);
      if (waiting != replies_.end()) waiting->second = reply->status;
      replied_.NotifyAll();
      continue;
    }
    Lane lane = LaneOf(action.body);
    queues_[lane].push_back({reign_, std::move(action)});
    work_[lane].NotifyOne();
  }
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
  if (reign_ == nullptr) return NotMaster();
  uint64_t request = next_request_++;
  // The reference stays valid while other requests come and go, since replies_ is a std::map.
  Status& reply = replies_[request] = Waiting();
  FeedLocked(make(request));
  Status status = Waiting();
  while (!stopping_ && reply == Waiting() && !left.is_cancelled() && NowMicros() < deadline_us) {
    replied_.WaitFor(&mutex_, std::min(deadline_us - NowMicros(), nap_us));
  }
  status = reply;
  replies_.erase(request);
  if (status == Waiting()) {
    if (left.is_cancelled()) return Cancelled("the call was cancelled; it may still happen");
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

// May be called from any thread, also within a call on the lock service; it takes only mutex_,
// which is never held around such a call.
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
