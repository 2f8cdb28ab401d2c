// What a lock service knows about a store, as a value, so that it can be carried from one lock
// service to another: from the directory of one process to ZooKeeper and back (carry_store.h,
// collapse_cluster.cc).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// A picture leaves out what belongs to one lock service or to live processes: the counter's file,
// sessions, holders of locks, and the files `store` and `stop`. A server's file in a picture means
// a dead server whose log must be recovered.
struct LockPicture {
  std::map<std::string, std::string> files;  // contents by path
  uint64_t numbers_end = 1;  // higher than every epoch, fence and session id assigned so far
};

// Writes nothing. kDataLoss: a file is damaged; kFailedPrecondition: the lock service has a file
// that this program does not know.
[[nodiscard]] StatusOr<LockPicture> PictureOf(EmbeddedLockService* locks);
// Takes an epoch to learn the value of the counter. No other process may change files meanwhile.
[[nodiscard]] StatusOr<LockPicture> PictureOf(LockSession* session);

// Makes the lock service of session `to` hold exactly these files and assign only higher numbers,
// then reads everything back. May be repeated after a crash. kAborted: another process changes
// files.
[[nodiscard]] Status CarryInto(const LockPicture& picture, LockSession* to);

// Removes every file that a picture contains, and the file `stop`. May be repeated after a crash.
[[nodiscard]] Status RemoveStoreFiles(LockSession* session);

}  // namespace sippar::cluster
