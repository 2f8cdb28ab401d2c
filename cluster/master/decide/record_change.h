// The changes that a master makes to a tablet's record, as pure functions. Each change raises the
// tablet epoch, so that calls that rely on the record before the change are refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/api/tablet_record.h"
#include "engine/base/status.h"

namespace sippar::cluster::master {

// The names in parentheses are steps of a recovery in cluster/PROTOCOL.md.
enum class RecordChangeKind : uint8_t {
  kAssign,       // -> kAssigned to `server`; requires that the old epoch is no longer served
  kRecover,      // -> kRecovering: `server`, which had the tablet, has died (F2b)
  kPublish,      // -> kUnassigned: the log of `server` is sealed and sorted (F4, F5)
  kStartMerge,   // -> kMerging: declares the merge; the left record changes first
  kCancelMerge,  // kMerging -> kUnassigned
  kRelease,      // -> kUnassigned: `server` has closed the tablet, which stays unserved
  kLetBack,      // the tablet is no longer set aside, and its deaths are forgotten
};

// Consequence of the death of a tablet's server for the tablet (death_blame.h).
enum class Blame : uint8_t {
  kNone,      // the tablet is not blamed; its record keeps the earlier deaths
  kBlamed,    // the record gets one more death
  kSetAside,  // the record gets one more death, and from then on no server may load the tablet
};

struct RecordChange {
  RecordChangeKind kind = RecordChangeKind::kAssign;
  ServerId server;
  // kPublish: the tablet's highest sequence number in the log; 0: the log has no record of the
  // tablet.
  uint64_t log_sequence = 0;
  Blame blame = Blame::kNone;  // set for kRecover
  // kRecover: the wall clock, in microseconds since the Unix epoch.
  int64_t wall_us = 0;
  bool operator==(const RecordChange&) const = default;
};

// When a death is added to a record, deaths that are older than this are removed.
inline constexpr int64_t kDeathsKeptUs = 3'600'000'000;

// kFailedPrecondition: the record's phase, server or `set_aside` does not allow the change.
[[nodiscard]] Status ApplyChange(const RecordChange& change, TabletRecord* record);

}  // namespace sippar::cluster::master
