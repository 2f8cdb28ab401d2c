// The calls of administrators (AdminApi): tables, tablets, statistics and named records. A schema
// change is durable when its call returns OK. Times are microseconds since the Unix epoch. Plain
// data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/call.h"
#include "cluster/api/call_trace_info.h"
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
  std::string reason;  // why the policy chose this compaction
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
  // Number of tablets, including those of METADATA, whose records name this server.
  uint64_t tablet_count = 0;

  static constexpr int kFields = 2;
};

namespace calls {

// Creates a table of n + 1 tablets from n split keys. The keys are sorted and distinct, and no key
// is "". Errors: kAlreadyExists, kInvalidArgument, kResourceExhausted (limits::kTablesMax).
struct CreateTable {
  TableSchema schema;
  std::vector<std::string> split_keys;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = ChangeRule("CreateTable");
};

// Replaces the schema; engine/model/schema_change.h has the rules. A family that the new schema
// lacks is dropped with its data. The data of a family that changes its locality group moves with
// later compactions. kAborted: the table's version is not `expected_version`, since another change
// came first.
struct AlterTable {
  TableSchema schema;
  uint64_t expected_version = 0;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = ChangeRule("AlterTable");
};

// Deletes the table with its data. kFailedPrecondition: the table is protected against deletion.
struct DropTable {
  std::string table;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = ChangeRule("DropTable");
};

// Returns the schema and the number of tablets of a table. kNotFound: table not found.
struct GetTable {
  std::string table;

  using Reply = TableInfo;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("GetTable");
};

// Returns the schema alone. Within one process it is shared instead of copied, because every data
// call of the Bigtable API needs it. kNotFound: table not found.
struct GetSchema {
  std::string table;

  using Reply = std::shared_ptr<const TableSchema>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("GetSchema");
};

// Lists all tables, sorted by name.
struct ListTables {
  using Reply = std::vector<TableInfo>;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("ListTables");
};

// Writes the memtables to SSTables now. Flush, Compact and Verify change no content, so they may be
// repeated: at worst their work is done twice.
struct Flush {
  std::string table;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule{"Flush"};
};

// Runs a major compaction, which leaves one run without tombstones or garbage, and returns when it
// is done. Each tablet that has any of `rows` is compacted as a whole.
struct Compact {
  std::string table;
  std::string group;                // "": all locality groups
  std::vector<RowRange> rows = {};  // in key order; none: the whole table

  using Reply = Done;
  static constexpr CallRule kRule{"Compact"};  // encoded by Coding<calls::Compact>
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

// Returns the sizes of each locality group of the table.
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

// Lists each server's last hundred finished compactions, oldest first, then its running ones.
struct Compactions {
  using Reply = std::vector<CompactionInfo>;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("Compactions");
};

// Lists the newest 10,000 traces of calls that servers keep, oldest first. A server keeps traces in
// memory only, for an hour at most: those of one in 1,000 trace ids, and of every call that took
// 0.1 s or more (call_traces.h). A gateway that passes this call on adds its own traces. A table
// that does not exist is no error, because it may have been dropped since.
struct Traces {
  std::string table;  // "": the traces of all calls

  using Reply = std::vector<CallTraceInfo>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("Traces");
};

// Lists tablets that used much of their server's CPU in measuring intervals that began within
// [start_us, end_us): of each tablet the hottest interval of a quarter of an hour
// (engine/store/hot_tablets.h). A process that is also a gateway or a master counts only its work
// as a tablet server. Servers keep these measurements in memory only, so a restart loses them.
struct HotTablets {
  int64_t start_us = 0;
  int64_t end_us = 0;

  using Reply = std::vector<HotTablet>;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = LookUpRule("HotTablets");
};

// The next four calls keep small named records for the layers above, such as the instances of the
// Bigtable API. A change is durable when its call returns OK. kAborted: the record's version is not
// `version` (0: the record must not exist). kNotFound: the record does not exist.
struct GetRecord {
  std::string name;

  using Reply = NamedRecord;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("GetRecord");
};

// Lists the records whose names begin with `prefix`, sorted by name.
struct ListRecords {
  std::string prefix;  // prefix of the record names

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

// Lists the tablet servers that hold their leases, as the master sees them, sorted by name.
struct ListServers {
  using Reply = std::vector<ServerInfo>;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("ListServers");
};

// Returns the state of the whole cluster. A master that is still starting answers this call, too.
// kUnavailable: no process is the master.
struct ClusterStatus {
  using Reply = ClusterHealth;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("ClusterStatus");
};

// Returns the newest 10,000 events of the tablets of one table, which may be METADATA, or of all
// tables (`table` is ""), oldest first. METADATA keeps at most 50 events of each kind for a tablet,
// and none longer than 30 days. kNotFound: table not found.
struct TabletEvents {
  std::string table;

  using Reply = std::vector<TabletEventInfo>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule{"TabletEvents"};
};

// MoveTablet and DrainServer name a server either as NAME, which means its running process, or as
// NAME.EPOCH (server_id.h). kNotFound: the table is unknown, or the server is; then the message
// names the live servers.

// Moves the tablet that has `row` and returns when `server` serves it; returns at once if `server`
// serves it already. A tablet of METADATA moves in the same way. A balance round may move the
// tablet again; see SetBalancing. kFailedPrecondition: the server has ended, is shutting down, is
// drained or refuses the tablet, or the tablet is set aside or being merged. kDeadlineExceeded: the
// caller's timeout, or 30 s, ended before the move; the move goes on.
struct MoveTablet {
  std::string table;
  std::string row;
  std::string server;

  using Reply = Done;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = RepeatableChangeRule("MoveTablet");
};

// While balancing is off, the master neither moves nor splits a tablet because of its load. It
// still merges small tablets, splits large ones, and assigns the tablets of servers that have
// ended. The setting stays until the next call (StandingOrders).
struct SetBalancing {
  bool on = true;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = RepeatableChangeRule("SetBalancing");
};

// Begins a balance round now, even if balancing is off. When OK, the moves are decided but not yet
// carried out. As in every round, tablets that came to their server within the last three rounds
// stay there.
struct BalanceNow {
  using Reply = Done;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = RepeatableChangeRule("BalanceNow");
};

// With `on`, the master moves all tablets away from the server and gives it no others. When OK, the
// order is recorded and the moves begin; ClusterStatus shows when the server is empty. The order
// belongs to the server's name, so it outlasts a restart of the process; a call with `on` false
// ends it. If all other servers have ended, drained ones get tablets again, so that no tablet is
// left unserved. kFailedPrecondition: no other server could take the tablets.
struct DrainServer {
  std::string server;
  bool on = true;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = RepeatableChangeRule("DrainServer");
};

// Lets servers load the tablet that has `row` again after the master has set it aside, and forgets
// the server deaths that were counted against it. OK also if the tablet is not set aside. When OK,
// the order is in METADATA; ClusterStatus shows when a server serves the tablet. kNotFound: table
// not found. kDeadlineExceeded: the tablet is still set aside after the caller's timeout, or 30 s;
// the master keeps trying.
struct LetBack {
  std::string table;
  std::string row;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = RepeatableChangeRule("LetBack");
};

using AdminCalls =
    CallList<CreateTable, AlterTable, DropTable, GetTable, GetSchema, ListTables, Flush, Compact,
             Split, Merge, Verify, Stats, Metrics, Compactions, Traces, HotTablets, GetRecord,
             ListRecords, PutRecord, DeleteRecord, DumpTablets, ListServers, ClusterStatus,
             TabletEvents, MoveTablet, SetBalancing, BalanceNow, DrainServer, LetBack>;

}  // namespace calls
}  // namespace sippar::cluster
