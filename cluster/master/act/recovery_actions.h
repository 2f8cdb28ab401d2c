// Actions on the servers' files in the lock service and on the logs of dead servers: list the live
// servers, take a dead server's lock, and make sure that nothing more is written to its log
// (PROTOCOL.md, fencing and sealing). Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cluster/lock/lock_service.h"
#include "cluster/master/act/action_places.h"
#include "cluster/master/decide/master_event.h"
#include "engine/base/thread.h"

namespace sippar::cluster::master {

class RecoveryActions {
 public:
  // `places` and `session` outlive this object; `session` holds the master lock, and `epoch` is the
  // epoch of this master.
  RecoveryActions(const ActionPlaces* places, LockSession* session, uint64_t epoch)
      : places_(places), session_(session), epoch_(epoch) {}

  event::Done Do(const action::ListServers& asked);
  event::Done Do(const action::FenceServer& asked);
  event::Done Do(const action::StopWriter& asked);
  event::Done Do(const action::RenameLog& asked);
  event::Done Do(const action::SealLog& asked);

 private:
  // True if the server's log was garbage-collected because no record needed it: only its emptied
  // directory, under a trash name, is left.
  StatusOr<bool> WasSwept(const ServerId& server);
  // True if the server has certainly ended although its session has not. Checks only a server whose
  // connection is cut, because flocks on a shared directory cost calls to its file servers.
  bool HasDied(const ServerId& server);
  // True if the process that wrote the log has certainly ended.
  StatusOr<bool> WriterIsGone(const std::string& log_directory);
  // The note that the server's process left when it crashed; nullopt also if it cannot be read,
  // because a recovery does not need it. The log must have been renamed.
  std::optional<CrashNote> ReadCrashNote(const ServerId& server);

  const ActionPlaces* const places_;
  LockSession* const session_;
  const uint64_t epoch_;
  // Remembers what the server's member record (`content`) says, because the file with the record is
  // removed later.
  void NoteRecord(const ServerId& server, const std::string& content);
  // The first two are from the server's member record.
  struct Life {
    int64_t lease_us = 0;  // how long the server may serve after its last heartbeat
    std::string identity;  // see FileSystem::Fence; "": the record names no process of this cluster
    bool is_removed = false;  // this master has removed the server's file while its lock was held
    std::optional<int64_t> lease_over_ns;  // latest end of its lease; set when it is fenced
  };
  // Ends the process of a server that this master has removed by force. kUnavailable: the process
  // cannot be ended from here.
  Status EndWriter(const ServerId& server, const Life& life);
  engine::Mutex mutex_;
  // The lives with a file in servers/, and those that are not recovered as far as RenameLog.
  std::map<ServerId, Life> lives_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster::master
