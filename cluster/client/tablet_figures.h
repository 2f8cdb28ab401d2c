// Reads the figures of many tablets: asks all their servers concurrently, each with one call for
// up to a thousand tablets. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cluster/api/call_time.h"
#include "cluster/api/transport.h"

namespace sippar::cluster {

// A tablet and the server that is believed to serve it.
struct TabletAt {
  ServerId server;
  uint64_t tablet_id = 0;
};

// The figures of a tablet, or why there are none. NotServed: the server answered that it does not
// serve the tablet. kUnavailable: the server could not be reached. kDeadlineExceeded, kCancelled:
// if CallTime::Check is OK, the server did not answer in time (kFiguresWaitUs), and the text names
// it; otherwise the caller's own time is over.
using TabletFigures = StatusOr<std::vector<GroupStats>>;

// Returns one answer for each tablet, in the same order.
[[nodiscard]] std::vector<TabletFigures> ReadFigures(Transport* transport,
                                                     const std::vector<TabletAt>& tablets,
                                                     const CallTime& time);

}  // namespace sippar::cluster
