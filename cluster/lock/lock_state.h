// What the embedded lock service knows at one moment, except the next number: files, their locks,
// sessions, watches. A plain value without disk, clock or thread. The service calls `Check...`
// before a change, makes the change durable if it concerns the disk, and then applies it here.
// Errors as in lock_service.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/lock/lock_service.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

// Keeps callbacks from running after Close and after the destructor of their session. They run
// under `mutex` while `open` is true; Close and the destructor take the mutex to set `open` to
// false.
struct WatchGate {
  engine::Mutex mutex;
  bool open GUARDED_BY(mutex) = true;
};

// Callbacks of watches that a change fired; to be called without any lock held.
using FiredWatches = std::vector<std::pair<std::shared_ptr<WatchGate>, std::function<void()>>>;

class LockState {
 public:
  struct Entry {
    LockFile file;
    Status damage;  // not OK: the disk's copy is damaged; content and version unknown
  };

  void BeginSession(uint64_t session, const SessionOptions& options,
                    std::shared_ptr<WatchGate> gate, int64_t now_nanos);
  [[nodiscard]] Status CheckSession(uint64_t session) const;
  void Renew(uint64_t session, int64_t now_nanos);  // requires that the session is alive
  // Ends each session whose last heartbeat is older than its timeout. Spares the pinned session: a
  // change through this session is in progress and must take effect before the session ends.
  void Expire(int64_t now_nanos, FiredWatches* fired);
  void EndSession(uint64_t session, FiredWatches* fired);  // no-op when the session is over
  void Pin(uint64_t session) { pinned_ = session; }        // see Expire; 0: pins no session
  void StopWatching(uint64_t session);
  void Watch(uint64_t session, const std::string& path, std::function<void()> callback);

  // Returns the file; the pointer is valid until the next change. kNotFound; kDataLoss: the copy on
  // disk is damaged.
  [[nodiscard]] StatusOr<const LockFile*> Find(const std::string& path) const;
  std::vector<std::string> List(const std::string& directory) const;
  // kDataLoss: the disk's copy of one of the files is damaged.
  [[nodiscard]] StatusOr<std::vector<NamedLockFile>> ReadDirectory(
      const std::string& directory, const std::set<std::string>& except) const;
  const std::map<std::string, Entry>& files() const { return files_; }  // files by path
  [[nodiscard]] Status CheckCreate(const std::string& path) const;
  // For Write and Remove: returns the file if it has version `version`.
  [[nodiscard]] StatusOr<const LockFile*> CheckVersion(const std::string& path,
                                                       uint64_t version) const;
  // Returns the fencing number if `session` already holds the lock, 0 if the lock is free.
  [[nodiscard]] StatusOr<uint64_t> CheckAcquire(const std::string& path, uint64_t session) const;

  void Add(const std::string& path, Entry entry, FiredWatches* fired);
  void SetContent(const std::string& path, std::string content, FiredWatches* fired);
  void SetHolder(const std::string& path, uint64_t session, uint64_t fence, FiredWatches* fired);
  void Erase(const std::string& path, FiredWatches* fired);

 private:
  struct Session {
    std::string name;
    int64_t timeout_nanos = 0;  // 0: the session does not time out
    int64_t over_at_nanos = 0;
    std::shared_ptr<WatchGate> gate;
    std::map<std::string, std::function<void()>> watches;  // callbacks by path
  };

  using Visit = std::function<void(std::string name, const Entry& entry)>;
  void VisitDirectory(const std::string& directory, const Visit& visit) const;
  Status HeldBy(std::string_view what, const std::string& path, const LockFile& file) const;
  void Fire(const std::string& path, FiredWatches* fired);
  void FireDirectory(const std::string& path, FiredWatches* fired);

  std::map<std::string, Entry> files_;    // files by path
  std::map<uint64_t, Session> sessions_;  // sessions that Expire or EndSession has not ended
  uint64_t pinned_ = 0;
};

}  // namespace sippar::cluster
