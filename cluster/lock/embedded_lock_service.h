// A lock service for one process, kept in a directory: for a cluster of one, and for several
// servers in one process. The directory's flock excludes all other processes, so sessions, locks
// and ephemeral files can live in memory and end with the process; only the other files, with the
// epoch counter, are on disk. Opening writes no lock file; the first session writes the epoch
// counter. The service has no thread: each call of a session first ends the sessions that have
// timed out, and at its end calls back the watches that fired.
//
// Epochs, fencing numbers and session ids come from one counter, the file `epoch`, which holds a
// number above all that were given out. Reads and heartbeats never wait for the disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/lock/lock_directory.h"
#include "cluster/lock/lock_service.h"
#include "cluster/lock/lock_state.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

class EmbeddedLockService final : public LockService {
 public:
  // Opens the service; makes the directory if it is missing, but not its parent. `fs` and `clock`
  // outlive the service. kUnavailable: another process has the directory open, and the message
  // names it; kDataLoss: the epoch counter is damaged, or missing beside other files;
  // kFailedPrecondition: the directory holds something that is no lock file; kInternal: the disk
  // does not answer.
  [[nodiscard]] static StatusOr<std::unique_ptr<EmbeddedLockService>> Open(
      engine::FileSystem* fs, const std::string& directory, engine::Clock* clock);

  [[nodiscard]] StatusOr<std::unique_ptr<LockSession>> OpenSession(
      const SessionOptions& options) override;
  // Visits every file, damaged ones included. Needs no session, so the epoch counter is not
  // written.
  void VisitFiles(
      const std::function<void(const std::string& path, const LockState::Entry& entry)>& visit);

 private:
  class Session;
  class Change;

  EmbeddedLockService(std::unique_ptr<LockDirectory> directory, engine::Clock* clock)
      : clock_(clock), directory_(std::move(directory)) {}

  // Runs `body(now_nanos)` under mutex_ if `session` is alive, and returns its answer.
  template <typename Body>
  auto Ask(uint64_t session, const Body& body) -> decltype(body(int64_t{}));
  static void CallBack(FiredWatches* fired);
  void End(uint64_t session);      // the session's locks are free when this returns
  void Abandon(uint64_t session);  // leaves the session to time out

  Status LoadCounter(const LockDirectory::StoredFiles& files);
  StatusOr<uint64_t> NextNumber() REQUIRES(change_mutex_);
  Status Reserve(uint64_t limit) REQUIRES(change_mutex_);
  Status RaiseAbove(uint64_t seen) REQUIRES(change_mutex_);

  engine::Clock* const clock_;

  // Held by one change at a time, also during its write to disk. Lock order: change_mutex_ before
  // mutex_.
  engine::Mutex change_mutex_;
  std::unique_ptr<LockDirectory> directory_ GUARDED_BY(change_mutex_);
  uint64_t next_number_ GUARDED_BY(change_mutex_) = 1;
  // The counter as it is on disk; every number that was given out is below it.
  uint64_t numbers_end_ GUARDED_BY(change_mutex_) = 1;

  engine::Mutex mutex_;  // never held during a write to disk
  LockState state_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
