// Actions on the servers of the lock service and on the logs of dead ones: which servers live,
// taking a dead one's lock, and making sure that nothing is written to its log any more
// (PROTOCOL.md, fencing and sealing). Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cluster/lock/lock_service.h"
#include "cluster/master/act/action_places.h"
#include "cluster/master/decide/master_event.h"
#include "engine/base/thread.h"

namespace sippar::cluster::master {

class RecoveryActions {
 public:
  // Both outlive this object; `session` holds the master lock and `epoch` is the master's.
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
  // True if the server has certainly ended though its session has not. Looks only at a server whose
  // connection is cut, because flocks on a shared directory cost calls to its servers.
  bool HasDied(const ServerId& server);
  // True if the process that wrote the log has certainly ended.
  StatusOr<bool> WriterIsGone(const std::string& log_directory);

  const ActionPlaces* const places_;
  LockSession* const session_;
  const uint64_t epoch_;
  // Remembers the lease that the server's record names, before its file is removed.
  void NoteLease(const ServerId& server, const std::string& content);

  engine::Mutex mutex_;
  // How long each server serves after its last heartbeat, where its record says so.
  std::map<ServerId, int64_t> lease_us_ GUARDED_BY(mutex_);
  // When the lease of each server that this master removed is over, at the latest.
  std::map<ServerId, int64_t> lease_over_ns_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster::master
