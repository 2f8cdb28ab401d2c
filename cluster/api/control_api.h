// The interfaces between the master and the tablet servers. Each call is a struct with its contract
// in control_calls.h. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/api/control_calls.h"

namespace sippar::cluster {

// The master's calls to one tablet server.
class TabletControl : public Port<calls::ControlCalls> {};

// The hints of the servers to the master.
class MasterNotices : public Port<calls::NoticeCalls> {};

}  // namespace sippar::cluster
