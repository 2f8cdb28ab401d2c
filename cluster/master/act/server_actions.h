// Actions that make one call to a server. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/master/act/action_places.h"
#include "cluster/master/decide/master_event.h"

namespace sippar::cluster::master {

class ServerActions {
 public:
  // `places` outlives this object; `epoch` is the epoch of this master.
  ServerActions(const ActionPlaces* places, uint64_t epoch) : places_(places), epoch_(epoch) {}

  event::Done Do(const action::AskServer& asked);
  event::Done Do(const action::UnloadTablet& asked);
  event::Done Do(const action::SplitByLoad& asked);
  event::Done Do(const action::SetSchema& asked);
  event::Done Do(const action::SortLogPart& asked);

 private:
  const ActionPlaces* const places_;
  const uint64_t epoch_;
};

}  // namespace sippar::cluster::master
