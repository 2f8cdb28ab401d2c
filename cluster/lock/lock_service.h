// The lock service as the cluster sees it (what Chubby is in sections 4 and 5.2 of the paper):
// sessions with leases, small files with versions, exclusive locks with fencing numbers, and an
// epoch counter. The interface fits several implementations: EmbeddedLockService keeps its state in
// a directory, the service of OpenZooKeeper in ZooKeeper (the lock of a file that is not ephemeral
// is an ephemeral child of the file's node); etcd can implement the interface, too.
//
// lock_paths.h names all files. A path has 1 to 3 parts, as in "directory/name". Directories exist
// as long as they have files. A file has at most kLockFileSizeMax bytes.
//
// Errors of every call of a session:
//   kFailedPrecondition  (SessionOver) the service has ended the session: its locks are free or
//                        have another holder, its ephemeral files are gone, the call did nothing,
//                        and every later call fails alike. Open a new session. Callers test for
//                        Cause::kSessionOver, which no other error has.
//   kUnavailable         unknown outcome: no answer came, or the disk failed. Read before deciding:
//                        a lock or an ephemeral file is the caller's if its `holder` is the
//                        caller's id(). After a rename, removal or directory sync that failed, the
//                        embedded service refuses every change on disk with this code until it is
//                        opened again.
//   kAborted             lost a race: the file has another version, or this session does not hold
//                        the lock
//   kAlreadyExists       the file exists or another session holds the lock; the message names the
//                        holder, if there is one
//   kResourceExhausted   nothing was done: the disk is full (DiskFull), or no number is left
//   kDataLoss            this file, the epoch counter or the session's node in ZooKeeper is damaged
//                        or gone; other files can be read
//   kPermissionDenied    the disk refuses a write, or ZooKeeper the credentials
//   kNotFound, kInvalidArgument (path, size, number, a change of the epoch counter's file)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/status.h"

namespace sippar::cluster {

inline constexpr size_t kLockFileSizeMax = 256 << 10;  // Chubby's limit; ZooKeeper's is 1 MB

enum class LockFileKind : uint8_t {
  kLasting,    // exists until it is removed
  kLocked,     // like kLasting, but the creator holds the lock from the start
  kEphemeral,  // locked by its creator; removed when the creator's session ends
};

struct LockFile {
  std::string content;
  // 1 at creation; each Write adds 1. After a removal, a new file of this path begins at 1 again.
  uint64_t version = 0;
  bool ephemeral = false;
  uint64_t holder = 0;  // session that holds the lock, 0: none
  uint64_t fence = 0;   // fencing number of the holder's acquisition, 0: none
};

struct NamedLockFile {
  std::string name;  // the name in its directory, as List returns it
  LockFile file;
};

enum class Freshness : uint8_t {
  // At least as new as every change answered before the call, by any session. With ZooKeeper each
  // such read is a transaction.
  kConsistent,
  // At most as old as the session's timeout, and never older than the answer of an earlier call of
  // the same session: a read after a List, a ReadDirectory, a Heartbeat or a consistent Read is at
  // least as new as that call's answer.
  kCached,
};

struct SessionOptions {
  std::string name;  // for people: named in "is held by" messages
  // The service ends the session if no heartbeat comes for this time. 0: the session lives until
  // Close or the destructor; allowed only if the service is in the same process.
  int64_t timeout_us = 0;
  // The caller's clock. The time that Heartbeat returns is a time of this clock.
  engine::Clock* clock = engine::Clock::System();
};

// One client's session with the service. Thread safe. With ZooKeeper, every call answers within a
// third of the timeout, with kUnavailable if need be; changes of the embedded service wait for its
// disk as long as that takes. A change takes effect only while the session is alive at
// the service: a holder that has lost its lock with its session can change nothing any more.
class LockSession {
 public:
  // If Close was not called, the session times out as after a crash (at once if it has no timeout).
  // No callback runs after the destructor.
  virtual ~LockSession() = default;

  virtual uint64_t id() const = 0;  // never 0, never repeated

  // Renews the lease; do not count on other calls to renew it. Returns the earliest time at which
  // the session can be over: the time when the renewal was SENT plus the timeout (with ZooKeeper,
  // less one tick), in nanoseconds of the monotonic clock in the options (INT64_MAX without a
  // timeout). The caller decides when to renew, and how long before that time to stop relying on
  // the lease.
  [[nodiscard]] virtual StatusOr<int64_t> Heartbeat() = 0;

  // Creates a file. Returns the fencing number for kLocked and kEphemeral, otherwise 0.
  [[nodiscard]] virtual StatusOr<uint64_t> Create(const std::string& path,
                                                  const std::string& content,
                                                  LockFileKind kind) = 0;
  [[nodiscard]] virtual StatusOr<LockFile> Read(const std::string& path,
                                                Freshness freshness = Freshness::kConsistent) = 0;
  // Replaces the content; returns the new version. kAborted: the file's version is not `version`.
  [[nodiscard]] virtual StatusOr<uint64_t> Write(const std::string& path,
                                                 const std::string& content, uint64_t version) = 0;
  // Removes the file together with its lock, even if another session holds the lock: in this way
  // the master makes a server end (paper section 5.2). A caller that must not take a lock from
  // another session acquires the lock first. kAborted as in Write.
  [[nodiscard]] virtual Status Remove(const std::string& path, uint64_t version) = 0;
  // Returns the sorted names of the files directly in `directory`; empty if there is none. The list
  // is as new as a read with Freshness::kConsistent.
  [[nodiscard]] virtual StatusOr<std::vector<std::string>> List(const std::string& directory) = 0;
  // Reads the files directly in `directory` except those with a name in `except`; returns them
  // sorted by name. To be preferred to a List and a Read for each name: the session waits for the
  // service a few times for a thousand files, not once for each of them. Each file is as new as a
  // read with Freshness::kConsistent, but all of them together are no snapshot: of two changes that
  // are made during the call, the answer may show the later one and not the earlier one. A file
  // that is created or removed during the call may be in the answer or not. If one of the files
  // cannot be read, the call fails with that file's error (kDataLoss). The implementation here
  // calls List, and Read for each name; only sessions in tests use it.
  [[nodiscard]] virtual StatusOr<std::vector<NamedLockFile>> ReadDirectory(
      const std::string& directory, const std::set<std::string>& except = {});

  // Acquires the lock of a file if it is free; never waits. Returns the fencing number, which is
  // higher than that of any earlier acquisition of any lock; if this session holds the lock
  // already, the same number again. kAlreadyExists: another session holds it. kNotFound: file not
  // found.
  [[nodiscard]] virtual StatusOr<uint64_t> Acquire(const std::string& path) = 0;
  // kAborted: this session does not hold the lock. kInvalidArgument: the file is ephemeral and must
  // be removed instead.
  [[nodiscard]] virtual Status Release(const std::string& path) = 0;

  // Calls `callback` once, some time after the next change of the file (content, lock, existence)
  // or of the names in the directory. It is a hint that may come late or never, so callers poll as
  // well. A second call for a path replaces its callback. Call Watch first and then read, so that
  // no change is missed. `callback` may run in any thread, also within another client's call on the
  // service: it must return at once, must not call the service, and must take no lock that is held
  // around such a call.
  [[nodiscard]] virtual Status Watch(const std::string& path, std::function<void()> callback) = 0;

  // Returns a number above all numbers that NextEpoch has returned and RaiseEpoch was given. It is
  // durable before it is returned and never repeats; there may be gaps. Callers use it to tell the
  // runs of a server apart, and to name the files that a run writes.
  [[nodiscard]] virtual StatusOr<uint64_t> NextEpoch() = 0;
  // Makes all later epochs higher than `seen`, which is below 2^32. If a name on disk (a log
  // directory, METADATA) has an epoch that is not below a fresh NextEpoch(), the lock service was
  // restored from an older copy (tests/FAULTS.md X6): stop, or raise the epoch above all such
  // names.
  [[nodiscard]] virtual Status RaiseEpoch(uint64_t seen) = 0;

  // Ends the session: when OK, its locks are free and its ephemeral files gone. No callback runs
  // after the return. Later calls return kFailedPrecondition, but a second Close is OK.
  [[nodiscard]] virtual Status Close() = 0;
};

// Thread safe. Outlives its sessions.
class LockService {
 public:
  virtual ~LockService() = default;
  [[nodiscard]] virtual StatusOr<std::unique_ptr<LockSession>> OpenSession(
      const SessionOptions& options) = 0;
};

}  // namespace sippar::cluster
