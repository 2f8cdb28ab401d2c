// The calls of administrators (AdminApi): tables, tablets, figures and named records.
// A schema change is durable when its call returns OK. Times are microseconds since the Unix epoch.
// Plain data. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/call.h"
#include "cluster/api/cluster_status.h"
#include "cluster/api/server_id.h"
#include "engine/model/named_record.h"
#include "engine/model/row_set.h"
#include "engine/model/schema.h"
#include "engine/store/hot_tablets.h"
#include "engine/tablet/group_stats.h"

namespace sippar::cluster {

using engine::GroupStats;
using engine::HotTablet;
using engine::NamedRecord;
using engine::TableSchema;

struct TableInfo {
  TableSchema schema;
  uint64_t table_id = 0;
  uint64_t schema_version = 0;  // rises with each schema change
  int64_t changed_at_us = 0;    // time of the last schema change
  uint64_t tablet_count = 0;

  static constexpr int kFields = 5;
};

struct CompactionInfo {
  std::string table;
  uint64_t tablet_id = 0;
  std::string group;
  std::string kind;    // "minor", "merging", "major"
  std::string reason;  // why the policy chose it
  uint64_t inputs = 0;
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  int64_t started_us = 0;
  int64_t duration_us = 0;
  std::string status;  // "running", "done", or the error

  static constexpr int kFields = 11;
};

struct ServerInfo {
  ServerId id;
  uint64_t tablet_count = 0;  // tablets whose records name it, METADATA's included

  static constexpr int kFields = 2;
};

namespace calls {

// Creates a table of n + 1 tablets from n split keys, which are sorted, distinct, and none of them
// "". kAlreadyExists; kInvalidArgument.
struct CreateTable {
  TableSchema schema;
  std::vector<std::string> split_keys;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = ChangeRule("CreateTable");
};

// Replaces the schema; engine/model/schema_change.h has the rules. A family that the new schema
// lacks is dropped with its data. The data of a family that changes its locality group moves with
// later compactions. kAborted: `expected_version` is not the table's version any more.
struct AlterTable {
  TableSchema schema;
  uint64_t expected_version = 0;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = ChangeRule("AlterTable");
};

// kFailedPrecondition: the table is protected.
struct DropTable {
  std::string table;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = ChangeRule("DropTable");
};

// kNotFound.
struct GetTable {
  std::string table;

  using Reply = TableInfo;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("GetTable");
};

// The schema alone, shared instead of copied within one process, because every data call of the
// Bigtable API needs it. kNotFound.
struct GetSchema {
  std::string table;

  using Reply = std::shared_ptr<const TableSchema>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("GetSchema");
};

// Sorted by name.
struct ListTables {
  using Reply = std::vector<TableInfo>;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("ListTables");
};

// Writes the memtables to SSTables now. Like Compact and Verify it changes no content: at worst its
// work is done twice.
struct Flush {
  std::string table;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule{"Flush"};
};

// Runs a major compaction, which leaves one run without tombstones or garbage, and returns when it
// is done.
struct Compact {
  std::string table;
  std::string group;  // "": all locality groups

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule{"Compact"};
};

// Splits the tablet that has `row`, so that `row` becomes the first row of a tablet. No data is
// copied, so reads and writes are interrupted only briefly.
struct Split {
  std::string table;
  std::string row;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = ChangeRule("Split");
};

// Merges all tablets that overlap `rows` into one.
struct Merge {
  std::string table;
  RowRange rows;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = ChangeRule("Merge");
};

// Scrubs the table: reads every block of every SSTable. kDataLoss names the file and the offset.
struct Verify {
  std::string table;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule{"Verify"};
};

// The sizes of each locality group.
struct Stats {
  std::string table;

  using Reply = std::vector<GroupStats>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("Stats");
};

struct Metrics {
  using Reply = std::map<std::string, uint64_t>;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("Metrics");
};

// About a hundred of the compactions that ended last, oldest first, then the running ones.
struct Compactions {
  using Reply = std::vector<CompactionInfo>;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("Compactions");
};

// Tablets that used much of their server's CPU in measuring intervals that began within
// [start_us, end_us). Servers keep this in memory, so it ends with the server's process.
struct HotTablets {
  int64_t start_us = 0;
  int64_t end_us = 0;

  using Reply = std::vector<HotTablet>;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = LookUpRule("HotTablets");
};

// The next four keep small named records for the layers above, such as the instances of the
// Bigtable API. A change is durable when OK, and conditional: kAborted when the record's version is
// not `version` (0: the record must not exist). kNotFound.
struct GetRecord {
  std::string name;

  using Reply = NamedRecord;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("GetRecord");
};

// Sorted by name.
struct ListRecords {
  std::string prefix;  // of the names

  using Reply = std::vector<NamedRecord>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("ListRecords");
};

struct PutRecord {
  std::string name;
  std::string body;
  uint64_t version = 0;

  using Reply = Done;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = ChangeRule("PutRecord");
};

struct DeleteRecord {
  std::string name;
  uint64_t version = 0;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = ChangeRule("DeleteRecord");
};

// Describes every tablet for a human reader: range, redo point, memtables, runs and files.
struct DumpTablets {
  std::string table;

  using Reply = std::string;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("DumpTablets");
};

// The tablet servers that hold their leases, sorted by name, as the master sees them.
struct ListServers {
  using Reply = std::vector<ServerInfo>;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("ListServers");
};

// The state of the whole cluster. A master answers it while it starts, too. kUnavailable: no master
// reigns.
struct ClusterStatus {
  using Reply = ClusterHealth;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("ClusterStatus");
};

// The events of the tablets of one table, METADATA included, or of all tables (""): the newest
// 10,000, oldest first. Of each tablet METADATA keeps 30 days, and the last 50 of a kind.
// kNotFound.
struct TabletEvents {
  std::string table;

  using Reply = std::vector<TabletEventInfo>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule{"TabletEvents"};
};

// The two calls below that name a server take NAME, for its live life, or NAME.EPOCH. kNotFound:
// unknown table or server; the message names the live servers.

// Moves the tablet that has `row` and returns when `server` serves it; also OK if it did before. A
// tablet of METADATA moves in the same way. A balance round may move it again; see SetBalancing.
// kFailedPrecondition: the server has ended, is drained or refuses the tablet, or the tablet is
// being merged. kDeadlineExceeded: after the caller's time, or 30 s; the move goes on.
struct MoveTablet {
  std::string table;
  std::string row;
  std::string server;

  using Reply = Done;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = RepeatableChangeRule("MoveTablet");
};

// While balancing is off, the master neither moves nor splits a tablet because of its load. Small
// tablets are merged all the same, large ones split, and those of servers that have ended placed.
// StandingOrders says how long this holds.
struct SetBalancing {
  bool on = true;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = RepeatableChangeRule("SetBalancing");
};

// Begins a balance round now, even if balancing is off. OK: its moves are decided, not carried out.
// Tablets that came to their server within the last three rounds stay there, as always.
struct BalanceNow {
  using Reply = Done;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = RepeatableChangeRule("BalanceNow");
};

// `on`: the master moves all tablets away from the server and gives it no others. OK: this is
// ordered, and the moves begin; the server is empty when ClusterStatus says so. It holds for the
// server's name, so also when its process is started again, until a call with `on` false. If every
// server that could take tablets has ended, drained ones get some again: a drain makes
// no tablet unserved. kFailedPrecondition: no other server could take the tablets.
struct DrainServer {
  std::string server;
  bool on = true;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = RepeatableChangeRule("DrainServer");
};

using AdminCalls =
    CallList<CreateTable, AlterTable, DropTable, GetTable, GetSchema, ListTables, Flush, Compact,
             Split, Merge, Verify, Stats, Metrics, Compactions, HotTablets, GetRecord, ListRecords,
             PutRecord, DeleteRecord, DumpTablets, ListServers, ClusterStatus, TabletEvents,
             MoveTablet, SetBalancing, BalanceNow, DrainServer>;

}  // namespace calls
}  // namespace sippar::cluster
