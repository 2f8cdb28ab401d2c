// What a read of stored entries tells about an entry besides its cell (read/entry_reader.h). Plain
// data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/cell.h"
#include "engine/model/cell_key.h"

namespace sippar::engine {

// True if a delete of these times deletes one version at most.
inline bool IsOneVersion(const TimeRange& deleted) {
  return deleted.limit_us != kTimeMax && deleted.start_us < deleted.limit_us &&
         deleted.start_us + 1 == deleted.limit_us;
}

struct StoredEntry {
  EntryKind kind = EntryKind::kCell;  // a version, or what kind of delete
  TimeRange time;                     // deletes: the times of the versions that it deletes
  bool is_visible = false;            // versions: a normal read returns it
};

}  // namespace sippar::engine
