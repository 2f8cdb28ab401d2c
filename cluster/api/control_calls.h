// The calls between the master and the tablet servers (Bigtable paper, section 5.2). Every call can
// be retried: a repeated call finds its work done and returns OK (tests/FAULTS.md N4, N9); a
// repeated split finds that the server no longer serves the parent, and returns kUnavailable. After
// kUnavailable or kDeadlineExceeded the outcome is unknown; any other answer is final. Plain data.
//
// Calls with a master_epoch are refused with kAborted ("an older master") when it is below the
// highest that the server has seen. A master takes its epoch from the lock service (NextEpoch)
// while it holds the master lock, so a later master has a higher one, and a server that has heard
// of it does nothing more for a deposed master.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/admin_calls.h"
#include "cluster/api/server_id.h"
#include "cluster/api/tablet_record.h"

namespace sippar::cluster {

struct TableRecord {
  uint64_t table_id = 0;
  uint64_t schema_version = 0;
  int64_t changed_at_us = 0;
  TableSchema schema;

  static constexpr int kFields = 4;
};

// A tablet that a server serves, with the number of its calls since the last report.
struct ServedTablet {
  uint64_t table_id = 0;
  RowRange range;
  uint64_t tablet_id = 0;
  uint64_t tablet_epoch = 0;
  uint64_t stored_bytes = 0;
  uint64_t memtable_bytes = 0;
  uint64_t schema_version = 0;  // version in use; the master sends the new schema if this is old
  uint64_t reads = 0;
  uint64_t writes = 0;

  static constexpr int kFields = 9;
};

struct ServerReport {
  std::vector<ServedTablet> tablets;
  // A file of this server's epoch with a lower number is already named in METADATA, or the server
  // will never name it there. If no row names such a file, the master's sweep may therefore remove
  // it (cluster/PROTOCOL.md, "Files that no row names"). 0: a change of METADATA by this server has
  // an unknown outcome, so the server does not know which files it has named, and the sweep may
  // remove no file of any epoch.
  uint64_t first_unpublished_file = 0;
  bool leaves = false;  // the server is handing over its tablets and accepts no new ones
  int64_t wall_us = 0;  // the server's wall clock, since the Unix epoch
  // How long the server may serve without another heartbeat; negative: the lease has ended.
  // nullopt: the lease ends with the server's process.
  std::optional<int64_t> lease_left_us = std::nullopt;

  static constexpr int kFields = 5;
};

namespace calls {

// Loads the tablet; when OK, the server serves it. METADATA must already assign the tablet to this
// server at record.tablet_epoch. The server first replays the records of `record.logs` after the
// redo point. OK also when the server already serves the tablet at this epoch. kFailedPrecondition:
// the server serves the tablet at another epoch, has closed this epoch, or is shutting down, or the
// record does not assign the tablet to it.
struct LoadTablet {
  uint64_t master_epoch = 0;
  TabletRecord record;
  TableRecord table;

  using Reply = Done;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = RepeatableChangeRule("LoadTablet", TimeLimit::kLong);
};

// Ends serving for a planned move: a minor compaction, then the close, then a second, short minor
// compaction for the writes that arrived during the first. When OK, the saved state holds every
// write, and the server does not serve the tablet; OK also when the server did not serve it before.
// After this OK, as after any final error of LoadTablet, the epoch stays closed as long as the
// server's process runs: the server refuses a delayed load at `tablet_epoch` or below, even if it
// is the first load that arrives (tests/FAULTS.md N9). Only after this OK may METADATA name another
// server. kFailedPrecondition: the server serves the tablet at a higher epoch.
struct UnloadTablet {
  uint64_t master_epoch = 0;
  uint64_t tablet_id = 0;
  uint64_t tablet_epoch = 0;

  using Reply = Done;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = RepeatableChangeRule("UnloadTablet", TimeLimit::kLong);
};

// Lists all tablets that the server serves, with their load. A new master learns from it which
// server really serves a tablet.
struct Report {
  uint64_t master_epoch = 0;

  using Reply = ServerReport;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("Report");
};

// Installs a new schema. When OK, every tablet of the table on this server uses it and has saved
// the births of its new families (see ForgetBirths). kUnavailable: a tablet of the table is being
// loaded or unloaded right now.
struct SetSchema {
  uint64_t master_epoch = 0;
  TableRecord table;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = RepeatableChangeRule("SetSchema", TimeLimit::kShort);
};

// Splits the tablet so that `row` becomes the first row of the right child. The server itself
// commits the split in METADATA.
struct SplitTablet {
  uint64_t master_epoch = 0;
  uint64_t tablet_id = 0;
  std::string row;

  using Reply = Done;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = RepeatableChangeRule("SplitTablet");
};

// Like SplitTablet, at the row that divides the recent calls into halves. kFailedPrecondition:
// there is no such row.
struct SplitByLoad {
  uint64_t master_epoch = 0;
  uint64_t tablet_id = 0;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = RepeatableChangeRule("SplitByLoad", TimeLimit::kLong);
};

// Sorts one segment of a dead server's sealed log by tablet, into a file in the same directory
// (engine/log/log_sort.h). OK also when that file exists.
struct SortLogPart {
  uint64_t master_epoch = 0;
  ServerId dead;
  uint64_t segment = 0;

  using Reply = Done;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = RepeatableChangeRule("SortLogPart", TimeLimit::kLong);
};

// Returns those of `files` that a tablet or a reader of this server may still open.
struct HeldFiles {
  std::vector<uint64_t> files;

  using Reply = std::vector<uint64_t>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("HeldFiles");
};

// Prepares a merge: rewrites the tablet so that it can forget the births of its families. The birth
// of a family is a sequence number; cells with lower numbers belong to a dropped family of the same
// name. In the merged tablet, sequence numbers of this tablet would mean nothing.
struct ForgetBirths {
  uint64_t master_epoch = 0;
  uint64_t tablet_id = 0;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = RepeatableChangeRule("ForgetBirths", TimeLimit::kLong);
};

// The next six calls are parts of calls of AdminApi, such as Flush, and of ListTablets: the master,
// or a client, sends them to the tablets' server. The master sends Metrics, Compactions, Traces and
// HotTablets (admin_calls.h) to every server unchanged.
struct FlushTablet {
  uint64_t tablet_id = 0;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule{"FlushTablet"};
};

struct CompactTablet {
  uint64_t tablet_id = 0;
  std::string group;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule{"CompactTablet"};
};

struct VerifyTablet {
  uint64_t tablet_id = 0;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule{"VerifyTablet"};
};

struct TabletStats {
  uint64_t tablet_id = 0;

  using Reply = std::vector<GroupStats>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("TabletStats");
};

// Like TabletStats, for up to kTabletsMax tablets of any tables. The reply has one part for each
// tablet, in the same order; nullopt: the server does not serve the tablet. So that the reply fits
// into a frame, it may end early, but never before the first tablet; the caller asks for the rest.
// A server that does not know the call (kUnimplemented) knows TabletStats.
struct BatchTabletStats {
  std::vector<uint64_t> tablet_ids;

  using Reply = std::vector<std::optional<std::vector<GroupStats>>>;
  static constexpr int kFields = 1;
  static constexpr size_t kTabletsMax = 1'000;
  static constexpr CallRule kRule = LookUpRule("BatchTabletStats");
};

struct DumpTablet {
  uint64_t tablet_id = 0;

  using Reply = std::string;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("DumpTablet");
};

using ControlCalls =
    CallList<LoadTablet, UnloadTablet, Report, SetSchema, SplitTablet, SplitByLoad, SortLogPart,
             HeldFiles, ForgetBirths, FlushTablet, CompactTablet, VerifyTablet, TabletStats,
             BatchTabletStats, DumpTablet, Metrics, Compactions, Traces, HotTablets>;

// A hint from a server to the master. If it is lost, the master finds the same fact in METADATA,
// only later.
struct SplitDone {
  ServerId server;
  uint64_t parent_tablet_id = 0;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = RepeatableChangeRule("SplitDone");
};

using NoticeCalls = CallList<SplitDone>;

}  // namespace calls
}  // namespace sippar::cluster
