// Actions of the sweep, the garbage collection of shared files: list the files, find those that
// METADATA and backups name, move the others to the trash, and delete old trash, expired backups
// and old change-stream files. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/lock/lock_service.h"
#include "cluster/master/act/action_places.h"
#include "cluster/master/decide/master_event.h"

namespace sippar::cluster::master {

class SweepActions {
 public:
  // `places` and `session` outlive this object; `session` holds the master lock.
  SweepActions(const ActionPlaces* places, LockSession* session)
      : places_(places), session_(session) {}

  event::Done Do(const action::ListFiles& asked);
  event::Done Do(const action::FindReferences& asked);
  event::Done Do(const action::TrashFiles& asked);
  event::Done Do(const action::PurgeTrash& asked);

 private:
  Status ExpireChanges(const action::PurgeTrash& asked);
  Status ExpireBackups(int64_t wall_us);
  Status PurgeFrom(const std::string& directory, const action::PurgeTrash& asked);

  const ActionPlaces* const places_;
  LockSession* const session_;
};

}  // namespace sippar::cluster::master
