// The record of one tablet in METADATA (Bigtable paper, section 5.1), the only place that says
// which server has the tablet and which files it consists of. Plain data;
// cluster/location/meta_row.h converts it to a row and back.
//
// Every write of a record is conditional on the `change` number that the writer read, and raises
// it. This one condition stops the late writes of dead servers and of deposed masters, and lets
// only one of two concurrent writers win (cluster/PROTOCOL.md, F2b and F5). A change of phase,
// server or range also raises the tablet epoch, which calls to servers carry.
// SPDX-License-Identifier: Apache-2.0
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
  kUnassigned = 0,  // no server may serve the tablet; the master looks for one
  kAssigned = 1,    // `server` loads or serves the tablet
  kRecovering = 2,  // `server` died; next phase, after its log is sealed: kUnassigned with `logs`
  kMerging = 3,     // a merged tablet replaces this one, which is closed or about to be
};

// A split that is committed but not yet written as two rows: the record stands for both children.
// Any process that finds it may finish it by writing the left row and then the right one. In that
// order every row key is covered at each moment, as the parent's row becomes the right child's.
struct SplitRecord {
  engine::TabletState left;
  engine::TabletState right;
};

// A server for whose crash the tablet is blamed (cluster/master/decide/death_blame.h).
struct ServerDeath {
  ServerId server;
  int64_t time_us = 0;  // the master's wall clock when it noticed the death
  bool operator==(const ServerDeath&) const = default;
};

// What the master must remember about a tablet that may be the reason why its servers die. The
// record contains it so that the next master knows it, too.
struct TabletSuspicion {
  std::vector<ServerDeath> deaths;  // deaths of the last hour, oldest first
  bool set_aside = false;           // no server may load the tablet until an administrator says so
  bool operator==(const TabletSuspicion&) const = default;
};

struct TabletRecord {
  uint64_t table_id = 0;
  engine::RowRange range;     // the row key of METADATA is (table_id, range.limit)
  uint64_t tablet_id = 0;     // never reused: (epoch of the process that made it << 32) + n
  uint64_t tablet_epoch = 0;  // rises at each change of phase, server or range
  uint64_t change = 0;        // number of this record's last write; only metadata_table.h raises it
  TabletPhase phase = TabletPhase::kUnassigned;
  ServerId server;             // kAssigned: the tablet's server; kRecovering: the dead server
  engine::TabletState state;   // SSTables and redo point
  std::vector<ServerId> logs;  // dead servers whose sealed logs have records after the redo point
  std::optional<SplitRecord> split;
  // nullopt: this process does not know the suspicion, and its writes leave the stored value
  // unchanged. Calls to servers do not carry the suspicion, because only the master changes it.
  std::optional<TabletSuspicion> suspicion;
};

inline constexpr uint64_t kMetadataTableId = 1;  // user tables have higher ids
inline constexpr char kMetadataName[] = "METADATA";

}  // namespace sippar::cluster
