// Where the tablets of a table are, as the master knows it, and what an error of a call to one of
// them means. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/api/server_id.h"
#include "engine/base/status.h"
#include "engine/model/row_set.h"

namespace sippar::cluster::master {

struct TabletPlace {
  uint64_t tablet_id = 0;
  engine::RowRange range;
  ServerId server;  // none while no server serves the tablet
  uint64_t master_epoch = 0;
};

// Adds a place without a server for the rows that no place has, since a split whose notice was lost
// leaves a hole in what the master knows. `rows` and `found` are in key order, as is the result.
std::vector<TabletPlace> WithHoles(const std::vector<engine::RowRange>& rows,
                                   std::vector<TabletPlace> found);
// Those of the rows that are in `range`, in key order.
std::vector<engine::RowRange> RowsWithin(const std::vector<engine::RowRange>& rows,
                                         const engine::RowRange& range);
// True if the tablet may be elsewhere, so that it is to be looked up again. All other errors of a
// call to a tablet are final.
bool MayHaveMoved(const Status& status);
// True if a server that gave this error for one tablet is not to be called for its other tablets:
// it cannot be reached, or the caller no longer waits.
bool EndsWork(const Status& status);

}  // namespace sippar::cluster::master
