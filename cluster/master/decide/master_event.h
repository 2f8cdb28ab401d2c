// Everything that can happen to a master, as plain values. An event may arrive twice, late, or
// never. An answer (event::Done) names its action by the action's number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/api/cluster_status.h"
#include "cluster/api/crash_note.h"
#include "cluster/master/decide/master_action.h"

namespace sippar::cluster::master {

struct ServerListing {
  std::vector<ServerId> locked;    // live servers, which hold the lock of their file
  std::vector<ServerId> unlocked;  // servers that have a file whose lock is free
  // Servers in `locked` whose processes have died although their sessions have not ended yet.
  std::vector<ServerId> dead;
  // The administrators' standing orders as recorded now. None: the record could not be read, so the
  // orders that the master knows stay in force.
  std::optional<StandingOrders> orders;
  // The wall-clock time that a master has noted last; 0: there is no note. None: it could not be
  // read.
  std::optional<int64_t> noted_us = 0;
};

struct TableFile {
  TableRecord table;
  TableLife life = TableLife::kLive;
  uint64_t version = 0;
  int64_t kept_until_us = 0;  // wall-clock time at which a kept table is deleted
};

struct RecordPage {
  std::vector<TabletFacts> records;
  bool complete = true;  // false: the requested range has more records
};

struct SealedLog {
  std::vector<uint64_t> segments;  // numbers of segments that have records (SortLogPart::segment)
  std::map<uint64_t, uint64_t> last_sequences;  // highest sequence number by tablet id
};

struct FileListing {
  std::vector<uint64_t> files;  // sorted
  std::vector<ServerId> logs;   // sealed logs
  std::vector<ServerId> open_logs;
};

// Result of a complete scan of METADATA and the backups.
struct References {
  FileListing named;             // files and logs that are named, sorted
  std::vector<uint64_t> tables;  // ids of tables with at least one row
};

namespace event {

// This master holds the master lock. Always the first event.
struct LockTaken {
  uint64_t epoch = 0;
};
// Time has passed.
struct Tick {
  int64_t wall_us = 0;  // wall clock; `now_us` of Step is monotonic
};
// servers/ may have changed.
struct ServersChanged {};
// A server reports that it has split a tablet.
struct SplitDone {
  ServerId server;
  uint64_t tablet_id = 0;
};

struct CreateTable {
  uint64_t request = 0;
  TableSchema schema;
  std::vector<std::string> split_keys;
  int64_t wall_us = 0;  // date of the schema by the wall clock; `now_us` of Step is monotonic
  // Initial contents of the tablets, used instead of `split_keys`; their ranges cover all rows
  // without overlap. If there are none, the tablets start empty.
  std::vector<std::shared_ptr<const engine::TabletState>> states = {};
};
struct AlterTable {
  uint64_t request = 0;
  TableSchema schema;
  uint64_t expected_version = 0;
  int64_t wall_us = 0;
};
struct DropTable {
  uint64_t request = 0;
  std::string table;
  int64_t kept_until_us = 0;  // wall clock; 0: the table is deleted at once
  int64_t wall_us = 0;
};
// Restores a dropped table that is still kept. If several kept tables have this name, restores the
// one that was dropped last.
struct UndeleteTable {
  uint64_t request = 0;
  std::string table;
};
struct MergeTablets {
  uint64_t request = 0;
  std::string table;
  RowRange rows;
};
// `server` is NAME or NAME.EPOCH, as in calls::MoveTablet. The reply is sent when the master has
// decided, not when the tablet has moved.
struct MoveTablet {
  uint64_t request = 0;
  std::string table;
  std::string row;
  std::string server;
};
struct BalanceNow {
  uint64_t request = 0;
};

// The request of calls::LetBack. The reply is sent when the tablet is marked, before METADATA is
// changed.
struct LetBack {
  uint64_t request = 0;
  std::string table;
  std::string row;
};

// The answer to an action.
struct Done {
  uint64_t op = 0;
  Status status;
  std::variant<std::monostate, ServerListing, std::vector<TableFile>, ServerReport, RecordPage,
               CrashNote, SealedLog, FileListing, References>
      answer;
  // Only with a ServerReport: how far the server's wall clock is ahead of the master's.
  std::optional<int64_t> skew_us = std::nullopt;
};

}  // namespace event

using Event = std::variant<event::LockTaken, event::Tick, event::ServersChanged, event::SplitDone,
                           event::CreateTable, event::AlterTable, event::DropTable,
                           event::UndeleteTable, event::MergeTablets, event::MoveTablet,
                           event::BalanceNow, event::LetBack, event::Done>;

}  // namespace sippar::cluster::master
