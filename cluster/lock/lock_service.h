// The lock service as the cluster sees it (paper sections 4 and 5.2: Chubby's part): sessions with
// leases, small files with versions, exclusive locks with fencing numbers, an epoch counter. No
// type of an engine shows through: EmbeddedLockService keeps it in a directory; ZooKeeper (a lock
// is an ephemeral child of its file, a fencing number its czxid) and etcd fit under it.
//
// Paths are made by lock_paths.h only: "directory/name", 1 to 3 parts; directories come and go with
// their files. Contents are at most kLockFileSizeMax bytes.
//
// Errors, of every call:
//   kFailedPrecondition  the session is over at the service: its locks are free or another's, its
//                        ephemeral files are gone, nothing was done, and every later call says the
//                        same. Open a new session. No other cause has this code.
//   kUnavailable         no answer: whether it was done is unknown. Read before deciding (a lock or
//                        an ephemeral file is mine if `holder` is my id()).
//   kAborted             lost a race: not the version that was named, not the lock's holder
//   kAlreadyExists       somebody has it: the file exists, the lock is held; the text names him
//   kResourceExhausted   disk full: nothing was done
//   kDataLoss            the file is damaged; others are served
//   kNotFound, kInvalidArgument (path, size)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/status.h"

namespace sippar::cluster {

inline constexpr size_t kLockFileSizeMax = 256 << 10;  // Chubby's limit; ZooKeeper's is 1 MB

enum class LockFileKind : uint8_t {
  kLasting,    // until it is removed
  kLocked,     // lasting, and its creator holds the lock from the first moment
  kEphemeral,  // held by its creator, and gone when the creator's session is over
};

struct LockFile {
  std::string content;
  uint64_t version = 0;  // 1 at creation, one more at each Write; a file made anew starts again
  bool ephemeral = false;
  uint64_t holder = 0;  // session that holds the lock, 0: nobody
  uint64_t fence = 0;   // of the holder's acquisition, 0: nobody
};

enum class Freshness : uint8_t {
  kConsistent,  // at least as new as every change answered before the call, whoever made it
  kCached,      // at most as old as the session's timeout, and never older than seen before
};

struct SessionOptions {
  std::string name;  // for people: who "is held by" names
  // Without a heartbeat for so long the service ends the session. 0: lives until Close or the
  // destructor; only where the service itself lives in this process.
  int64_t timeout_us = 0;
  engine::Clock* clock = engine::Clock::System();  // of the caller; Heartbeat's answer is by it
};

// One client's standing with the service. Thread safe. Calls answer within a third of the timeout,
// if only with kUnavailable. All changes made through a session happen while it is alive at the
// service: a holder that has lost its lock by losing its session changes nothing more.
class LockSession {
 public:
  // Without Close: left to time out, as by a crash (timeout 0: ended). No callback runs afterwards.
  virtual ~LockSession() = default;

  virtual uint64_t id() const = 0;  // never 0, never repeated

  // Renews the lease at the service. The earliest moment, by the monotonic clock of the options in
  // nanoseconds, at which the session can be over: the SEND time of this call plus the timeout
  // (INT64_MAX without timeout). When to call, and how long before that moment to stop relying on
  // it, is the caller's policy. No other call renews.
  [[nodiscard]] virtual StatusOr<int64_t> Heartbeat() = 0;

  // The fencing number with kLocked and kEphemeral, else 0.
  [[nodiscard]] virtual StatusOr<uint64_t> Create(const std::string& path,
                                                  const std::string& content,
                                                  LockFileKind kind) = 0;
  [[nodiscard]] virtual StatusOr<LockFile> Read(const std::string& path,
                                                Freshness freshness = Freshness::kConsistent) = 0;
  // The new version. kAborted when the file's is not `version`.
  [[nodiscard]] virtual StatusOr<uint64_t> Write(const std::string& path,
                                                 const std::string& content, uint64_t version) = 0;
  // Removes the file and its lock, whoever holds it: that is how a server is told to die (paper
  // section 5.2); who wants to be sure that nobody does acquires it before. kAborted as in Write.
  [[nodiscard]] virtual Status Remove(const std::string& path, uint64_t version) = 0;
  // Names of the files right below `directory`, sorted; none is no error. Consistent.
  [[nodiscard]] virtual StatusOr<std::vector<std::string>> List(const std::string& directory) = 0;

  // The lock of a file, if it is free: the fencing number, higher than that of any acquisition of
  // any lock before and never repeated. The same number again when this session holds it.
  // kAlreadyExists: another session does. kNotFound: the file is gone. Never waits.
  [[nodiscard]] virtual StatusOr<uint64_t> Acquire(const std::string& path) = 0;
  // kAborted when this session does not hold it; of an ephemeral file kInvalidArgument: remove it.
  [[nodiscard]] virtual Status Release(const std::string& path) = 0;

  // Calls back once at some time after the next change of the file (content, lock, existence) or of
  // the names in the directory. A hint: it may come late or never, so callers poll as well. Arming
  // a path again replaces its callback; arm, then read. `callback` runs in any thread, also within
  // calls of others on the service: it returns at once, does not call the service and takes no lock
  // that anybody holds around such a call.
  [[nodiscard]] virtual Status Watch(const std::string& path, std::function<void()> callback) = 0;

  // A number above all that this returned and all that RaiseEpoch named: durable before it is
  // returned, never repeated, with gaps. For server lives and whatever is named after them.
  [[nodiscard]] virtual StatusOr<uint64_t> NextEpoch() = 0;
  // Later epochs are above `seen` (below 2^32). An epoch found in a name on disk (log directories,
  // METADATA) that is not below a fresh NextEpoch() means that the lock service was restored from
  // an older copy (FAULTS.md X6): stop, or raise the epoch above all such names and go on.
  [[nodiscard]] virtual Status RaiseEpoch(uint64_t seen) = 0;

  // Ends the session: its locks are free and its ephemeral files gone when OK. No callback runs
  // after the return. Later calls: kFailedPrecondition; a second Close is OK.
  [[nodiscard]] virtual Status Close() = 0;
};

// Outlives its sessions. Thread safe.
class LockService {
 public:
  virtual ~LockService() = default;
  [[nodiscard]] virtual StatusOr<std::unique_ptr<LockSession>> OpenSession(
      const SessionOptions& options) = 0;
};

}  // namespace sippar::cluster
