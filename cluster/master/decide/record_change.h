// The changes that a master makes to a tablet's record, as pure functions. Every change of owner or
// shape raises the tablet epoch. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/api/tablet_record.h"
#include "engine/base/status.h"

namespace sippar::cluster::master {

enum class RecordChangeKind : uint8_t {
  kAssign,       // -> kAssigned to `server`: nobody serves the old epoch
  kRecover,      // -> kRecovering: `server` has died with it (F2b)
  kPublish,      // -> kUnassigned: `server`'s log is sealed and sorted (F4, F5)
  kStartMerge,   // -> kMerging: the intent, on the left of two neighbours
  kCancelMerge,  // kMerging -> kUnassigned
  kRelease,      // -> kUnassigned: `server` has closed it, and nobody is to serve it
};

struct RecordChange {
  RecordChangeKind kind = RecordChangeKind::kAssign;
  ServerId server;
  // kPublish: the tablet's highest sequence number in the log, 0: it has none there.
  uint64_t log_sequence = 0;
  bool operator==(const RecordChange&) const = default;
};

// kFailedPrecondition when the record is in another phase than the change starts from.
[[nodiscard]] Status ApplyChange(const RecordChange& change, TabletRecord* record);

}  // namespace sippar::cluster::master
