// How a process waits for the master lock.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/store_mark.h"
#include "cluster/master/act/master_driver.h"

namespace sippar::cluster::master {
namespace {

// A candidate learns from a watch that the master lock is free. A watch is only a hint, so the
// candidate also reads the lock, at least once in this time and at least four times within its
// session's timeout, and then renews the session.
constexpr int64_t kStandByMicros = 2'000'000;

}  // namespace

// Returns a session that holds the master lock; nullptr if the driver is stopping.
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
      static_cast<void>(own.session->Close());  // if this fails, the session times out
      own.session = nullptr;
    } else if (status.code() == StatusCode::kAlreadyExists) {
      AwaitChange(own.session.get());
    }
  } while (Sleep(kRetryMicros));
  if (own.session != nullptr) static_cast<void>(own.session->Close());
  return nullptr;
}

// Returns no session if the lock service refuses one or does not answer.
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

// Renews the session. False: the session is over, or a new one is needed for another reason. If a
// heartbeat gets no answer, the session and the candidate's file may exist until the session's
// timeout has passed.
bool MasterDriver::Renew(Candidacy* own) {
  auto over_at_ns = own->session->Heartbeat();
  if (over_at_ns.ok()) own->over_at_ns = *over_at_ns;
  return over_at_ns.ok() || (over_at_ns.status().code() == StatusCode::kUnavailable &&
                             options_.places.clock->MonotonicNanos() < own->over_at_ns);
}

// Makes the candidate's file. The file of an earlier process with the same name remains until the
// session of that process is over.
Status MasterDriver::MakeKnown(LockSession* session) {
  const std::string path = lock_paths::Master(options_.name);
  Status made = session->Create(path, options_.member->Encode(), LockFileKind::kEphemeral).status();
  if (made.code() != StatusCode::kAlreadyExists) return made;
  ASSIGN_OR_RETURN(LockFile file, session->Read(path));
  if (file.holder == session->id()) return OkStatus();
  return Unavailable(fmt::format(
      "master name '{}' is in use by session {} (lock file {}); give this master another "
      "name, or wait for the end of that session if the other master is dead",
      options_.name, file.holder, path));
}

// kAlreadyExists: another session holds the lock. A cached read of the lock is good enough: if the
// lock seems free, Acquire decides; if it seems held, AwaitChange reads it again after setting a
// watch.
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

// Writes this master's address into the lock's file. The fencing number in the record shows readers
// that no earlier master wrote it.
Status MasterDriver::TellAddress(LockSession* session, uint64_t fence) {
  MemberRecord record = *options_.member;
  record.fence = fence;
  ASSIGN_OR_RETURN(LockFile file, session->Read(lock_paths::MasterLock()));
  return session->Write(lock_paths::MasterLock(), record.Encode(), file.version).status();
}

// Returns when the lock may have become free, and always in time for the next heartbeat.
void MasterDriver::AwaitChange(LockSession* session) {
  Status watched = session->Watch(lock_paths::MasterLock(), [this] {
    engine::MutexLock lock(&mutex_);
    lock_may_be_free_ = true;
    wake_.NotifyAll();
  });
  if (!watched.ok()) return;
  // The lock may have become free before the watch was set, so it is read again. Every later change
  // fires the watch, and a cached read is not older than the watch.
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
