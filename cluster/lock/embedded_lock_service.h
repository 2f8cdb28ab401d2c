// The lock service of one process, kept in a directory: for a cluster of one, and for several
// servers in one process. The directory's flock says that no other process has sessions, so only
// lasting files and the epoch counter are on disk; locks, ephemeral files and sessions are in
// memory and end with the process. Opening writes nothing, the first session one file; no thread of
// its own: time-outs are found and watches called back by whoever calls next.
//
// Epochs, fencing numbers and session ids come from one counter, the file `epoch`, which holds a
// number above all that were given out. Answers to reads and heartbeats never wait for the disk.
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
  // Makes the directory when it is missing (its parent exists). kUnavailable: open elsewhere, names
  // by whom; kDataLoss: the epoch counter is damaged or missing; kFailedPrecondition: the directory
  // holds something else. `fs` and `clock` outlive the service.
  [[nodiscard]] static StatusOr<std::unique_ptr<EmbeddedLockService>> Open(
      engine::FileSystem* fs, const std::string& directory, engine::Clock* clock);

  [[nodiscard]] StatusOr<std::unique_ptr<LockSession>> OpenSession(
      const SessionOptions& options) override;
  // Every file, also one that is damaged; without a session, so nothing is written.
  void VisitFiles(
      const std::function<void(const std::string& path, const LockState::Entry& entry)>& visit);

 private:
  class Session;
  class Change;

  EmbeddedLockService(std::unique_ptr<LockDirectory> directory, engine::Clock* clock)
      : clock_(clock), directory_(std::move(directory)) {}

  // The answer of `body(now_nanos)`, under mutex_, to a session that is alive.
  template <typename Body>
  auto Ask(uint64_t session, const Body& body) -> decltype(body(int64_t{}));
  static void CallBack(FiredWatches* fired);
  void End(uint64_t session);      // its locks are free when this returns
  void Abandon(uint64_t session);  // left to time out

  Status LoadCounter(const LockDirectory::StoredFiles& files);
  StatusOr<uint64_t> NextNumber() REQUIRES(change_mutex_);
  Status Reserve(uint64_t limit) REQUIRES(change_mutex_);
  Status RaiseAbove(uint64_t seen) REQUIRES(change_mutex_);

  engine::Clock* const clock_;

  // Held by one change at a time, over its writes. Lock order: change_mutex_ < mutex_.
  engine::Mutex change_mutex_;
  std::unique_ptr<LockDirectory> directory_ GUARDED_BY(change_mutex_);
  uint64_t next_number_ GUARDED_BY(change_mutex_) = 1;
  uint64_t numbers_end_ GUARDED_BY(change_mutex_) = 1;  // on disk: all numbers given are below

  engine::Mutex mutex_;  // never held over a write
  LockState state_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
