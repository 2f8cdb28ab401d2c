// The changes that a master makes to a tablet's record, as pure functions. Each one raises the
// tablet epoch, so that calls for the old owner or shape are refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/api/tablet_record.h"
#include "engine/base/status.h"

namespace sippar::cluster::master {

enum class RecordChangeKind : uint8_t {
  kAssign,       // -> kAssigned to `server`; requires that the old epoch is no longer served
  kRecover,      // -> kRecovering: `server`, which had the tablet, is dead (F2b)
  kPublish,      // -> kUnassigned: the log of `server` is sealed and sorted (F4, F5)
  kStartMerge,   // -> kMerging: the intent to merge, on the left record first
  kCancelMerge,  // kMerging -> kUnassigned
  kRelease,      // -> kUnassigned: `server` has closed the tablet, and it stays unserved
  kLetBack,      // ends that the tablet is set aside, and forgets its deaths
};

// What the death of a tablet's server says of the tablet (death_blame.h).
enum class Blame : uint8_t {
  kNone,      // nothing: the deaths that the record has stay in it
  kCleared,   // it has passed its trial, so earlier deaths were not its fault
  kBlamed,    // one more death
  kSetAside,  // one more death, and from now on no server may load it
};

struct RecordChange {
  RecordChangeKind kind = RecordChangeKind::kAssign;
  ServerId server;
  // For kPublish: the tablet's highest sequence number in the log, 0 if it has no record there.
  uint64_t log_sequence = 0;
  Blame blame = Blame::kNone;  // for kRecover
  // For kAssign and kRecover: the wall clock, microseconds since the Unix epoch.
  int64_t wall_us = 0;
  bool operator==(const RecordChange&) const = default;
};

// A record keeps the deaths of this time.
inline constexpr int64_t kDeathsKeptUs = 3'600'000'000;

// kFailedPrecondition: the record is not in the phase from which the change starts.
[[nodiscard]] Status ApplyChange(const RecordChange& change, TabletRecord* record);

}  // namespace sippar::cluster::master
