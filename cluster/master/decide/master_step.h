// The master's decisions as one pure function (paper section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/master/decide/master_action.h"
#include "cluster/master/decide/master_event.h"
#include "cluster/master/decide/master_state.h"

namespace sippar::cluster::master {

// What to do next. Events may come twice, late, or from the past; time does not go back. The same
// state and events give the same actions.
std::vector<Action> Step(MasterState* state, const Event& event, int64_t now_us);

}  // namespace sippar::cluster::master
