// What METADATA says of one tablet (paper section 5.1): the one fact of where it is and what it is
// made of. Plain data; cluster/location/meta_row.h turns it into a row and back.
//
// Whoever changes a record names the `change` it read, which every write raises: one condition
// fences dead servers, old masters and lost races alike (PROTOCOL.md, F2b and F5). Changes of
// owner or shape raise the epoch, too, which calls to servers carry. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/server_id.h"
#include "engine/model/row_set.h"
#include "engine/tablet/tablet_state.h"

namespace sippar::cluster {

enum class TabletPhase : uint8_t {
  kUnassigned = 0,  // nobody may serve it; the master looks for a server
  kAssigned = 1,    // `server` loads or serves it
  kRecovering = 2,  // its server died: its log is being sealed, then kUnassigned with `logs`
  kMerging = 3,     // gives way to a merged tablet: closed, or about to be
};

// A split that is committed and not yet spelled out as two rows: the record stands for both
// children. Anybody who finds it may finish it (write the left row, then the right one).
struct SplitRecord {
  engine::TabletState left;
  engine::TabletState right;
};

struct TabletRecord {
  uint64_t table_id = 0;
  engine::RowRange range;     // the row key of METADATA is (table_id, range.limit)
  uint64_t tablet_id = 0;     // never reused: (epoch of who made it << 32) + n
  uint64_t tablet_epoch = 0;  // rises at each change of phase, server or shape
  uint64_t change = 0;        // of this record; metadata_table.h counts it, nobody else
  TabletPhase phase = TabletPhase::kUnassigned;
  ServerId server;             // kAssigned: who; kRecovering: who died
  engine::TabletState state;   // SSTables and redo point
  std::vector<ServerId> logs;  // sealed logs of dead servers with records behind the redo point
  std::optional<SplitRecord> split;
};

inline constexpr uint64_t kMetadataTableId = 1;  // user tables have ids above
inline constexpr char kMetadataName[] = "METADATA";

}  // namespace sippar::cluster
