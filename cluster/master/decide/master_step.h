// The master's decisions as one pure function (paper section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/master/decide/master_action.h"
#include "cluster/master/decide/master_event.h"
#include "cluster/master/decide/master_state.h"

namespace sippar::cluster::master {

// Updates the state and returns the actions to carry out next. Events may arrive twice, late, or
// from an earlier master; `now_us` never decreases. Deterministic: the same state and events give
// the same actions.
std::vector<Action> Step(MasterState* state, const Event& event, int64_t now_us);

}  // namespace sippar::cluster::master
