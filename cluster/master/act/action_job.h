// Carries out one action of the master: a call to a server, or a change of METADATA, the lock
// service or the shared directory. It decides nothing and never retries; the outcome goes back to
// the step as an event. Each *Actions member below implements the actions of one kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "cluster/master/act/action_places.h"
#include "cluster/master/act/record_actions.h"
#include "cluster/master/act/recovery_actions.h"
#include "cluster/master/act/server_actions.h"
#include "cluster/master/act/sweep_actions.h"
#include "cluster/master/act/table_actions.h"

namespace sippar::cluster::master {

// Actions of one master. `session` holds the master lock; `epoch` is that of the master. Thread
// safe.
class ActionJob {
 public:
  ActionJob(ActionPlaces places, LockSession* session, uint64_t epoch)
      : places_(std::move(places)),
        servers_(&places_, epoch),
        records_(&places_, epoch),
        tables_(&places_, session),
        recovery_(&places_, session, epoch),
        sweep_(&places_, session) {}

  // Carries out the action and returns the event that answers it. Waits until its calls have ended.
  event::Done CarryOut(const Action& action);

 private:
  const ActionPlaces places_;
  ServerActions servers_;
  RecordActions records_;
  TableActions tables_;
  RecoveryActions recovery_;
  SweepActions sweep_;
};

}  // namespace sippar::cluster::master
