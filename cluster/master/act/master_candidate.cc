// How a process waits for the master lock. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/store_mark.h"
#include "cluster/master/act/master_driver.h"

namespace sippar::cluster::master {
namespace {

// A master that stands by learns from a watch that the lock is free. It looks at least so often,
// since a watch is only a hint, and four times within its session's timeout, which it renews then.
constexpr int64_t kStandByMicros = 2'000'000;

}  // namespace

// Returns a session that holds the master lock, or nullptr when stopping.
std::unique_ptr<LockSession> MasterDriver::WaitForLock() {
  Candidacy own;
  do {
    if (own.session == nullptr) own = OpenCandidacy();
    if (own.session == nullptr) continue;
    Status status = own.is_known ? OkStatus() : MakeKnown(own.session.get());
    own.is_known = own.is_known || status.ok();
    if (own.is_known) status = TryToReign(own.session.get());
    if (status.ok()) return std::move(own.session);
    if (!Renew(&own)) {
      static_cast<void>(own.session->Close());  // if it fails, the session times out
      own.session = nullptr;
    } else if (status.code() == StatusCode::kAlreadyExists) {
      AwaitChange(own.session.get());
    }
  } while (Sleep(kRetryMicros));
  if (own.session != nullptr) static_cast<void>(own.session->Close());
  return nullptr;
}

// Without a session if the service refuses one, or does not answer.
MasterDriver::Candidacy MasterDriver::OpenCandidacy() {
  Candidacy own;
  own.over_at_ns = options_.session_us == 0
                       ? INT64_MAX
                       : options_.places.clock->MonotonicNanos() + options_.session_us * 1000;
  auto opened = options_.locks->OpenSession(
      {"master " + options_.name, options_.session_us, options_.places.clock});
  engine::MutexLock lock(&mutex_);
  if (!opened.ok()) {
    NoteFailure(opened.status());
    return own;
  }
  start_failures_.clear();
  start_failure_ = OkStatus();
  own.session = *std::move(opened);
  own.is_known = !options_.member.has_value();
  return own;
}

// Renews the session. False if it is over, or lost for another reason. A heartbeat without an
// answer proves nothing: the session and the candidate's file live on for the session's time.
bool MasterDriver::Renew(Candidacy* own) {
  auto over_at_ns = own->session->Heartbeat();
  if (over_at_ns.ok()) own->over_at_ns = *over_at_ns;
  return over_at_ns.ok() || (over_at_ns.status().code() == StatusCode::kUnavailable &&
                             options_.places.clock->MonotonicNanos() < own->over_at_ns);
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

// kAlreadyExists: another session holds the lock. An old view of the lock is good enough: if it is
// free there, Acquire decides; if it is held there, AwaitChange looks after its watch.
Status MasterDriver::TryToReign(LockSession* session) {
  auto file = session->Read(lock_paths::MasterLock(), Freshness::kCached);
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
  if (Status marked = CheckStoreMark(session, options_.store_mark); !marked.ok()) {
    static_cast<void>(session->Release(lock_paths::MasterLock()));
    return marked;
  }
  return options_.member.has_value() ? TellAddress(session, fence) : OkStatus();
}

// The fencing number in the record tells it from what an earlier master wrote.
Status MasterDriver::TellAddress(LockSession* session, uint64_t fence) {
  MemberRecord record = *options_.member;
  record.fence = fence;
  ASSIGN_OR_RETURN(LockFile file, session->Read(lock_paths::MasterLock()));
  return session->Write(lock_paths::MasterLock(), record.Encode(), file.version).status();
}

// Returns when the lock may have become free, and in time for the next heartbeat.
void MasterDriver::AwaitChange(LockSession* session) {
  Status watched = session->Watch(lock_paths::MasterLock(), [this] {
    engine::MutexLock lock(&mutex_);
    lock_may_be_free_ = true;
    wake_.NotifyAll();
  });
  if (!watched.ok()) return;
  // It may have become free before the watch. What the service does to the lock later, as it
  // answers this session, sets the watch off; so a read that is as new as the watch is enough.
  auto file = session->Read(lock_paths::MasterLock(), Freshness::kCached);
  if (!file.ok() || file->holder == 0) return;
  engine::MutexLock lock(&mutex_);
  const int64_t limit_us = options_.session_us > 0 ? options_.session_us / 4 : kStandByMicros;
  if (!stopping_ && !lock_may_be_free_) {
    wake_.WaitFor(&mutex_, std::min(limit_us, kStandByMicros));
  }
  lock_may_be_free_ = false;
}

}  // namespace sippar::cluster::master
