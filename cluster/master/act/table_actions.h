// Actions on the files of tables in the lock service. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/lock/lock_service.h"
#include "cluster/master/act/action_places.h"
#include "cluster/master/decide/master_event.h"

namespace sippar::cluster::master {

class TableActions {
 public:
  // `places` and `session` outlive this object; `session` holds the master lock.
  TableActions(const ActionPlaces* places, LockSession* session)
      : places_(places), session_(session) {}

  event::Done Do(const action::ReadTables& asked);
  event::Done Do(const action::WriteTable& asked);
  event::Done Do(const action::RemoveTable& asked);

 private:
  Status MakeChangeDirectory(const TableRecord& table);

  const ActionPlaces* const places_;
  LockSession* const session_;
};

}  // namespace sippar::cluster::master
