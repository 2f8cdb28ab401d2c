// All that the master knows, as plain values: servers, tablets, tables, and what it waits for. Read
// and changed by the *_step files only, under one caller; master_driver.h owns it. The truth is
// METADATA and the lock service: a master that starts with an empty state learns all of it again
// (paper section 5.2). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/container/btree_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/master/decide/master_event.h"
#include "cluster/master/decide/tablet_map.h"
#include "engine/base/random.h"

namespace sippar::cluster::master {

// Intervals in microseconds.
struct MasterOptions {
  std::string root_limit;            // where the root tablet of a new cluster ends
  int64_t poll_us = 1'000'000;       // between two looks at servers/
  int64_t report_us = 10'000'000;    // between two questions to a server
  int64_t balance_us = 10'000'000;   // between two balance rounds
  int64_t garbage_us = 600'000'000;  // between two sweeps, and between the two scans of one
  int64_t trash_us = 3'600'000'000;  // how long a swept file can be brought back
  int64_t retry_min_us = 20'000;
  int64_t retry_max_us = 2'000'000;
  // A server that holds its lock but has not answered for so long is removed: when a tablet waits
  // for its answer, and when none does (FAULTS.md N1, P9).
  int64_t unanswered_fence_us = 30'000'000;
  int64_t silent_fence_us = 300'000'000;
  int64_t answer_us = 10'000'000;   // administrators wait at most so long for what is durable
  uint64_t split_size = 200 << 20;  // as the servers'; neighbours far below it are merged
  uint64_t split_calls = 1'000;     // a second: with fewer, no tablet is split for its load
  size_t moves_max = 64;            // planned moves in flight, if not one a server
  size_t loads_max = 64;            // loads in flight at one server
  size_t merges_max = 8;            // automatic merges in flight
  size_t scan_page = 10'000;        // records of METADATA in one answer
  // Records of a table without a file are an older master's, which wrote them late: they are
  // erased. false: there can be no such master, so the file was lost; they stay as they are.
  bool erases_strangers = true;
  // A server that takes all tablets scans a segment once for all of them: less than to sort it.
  bool sorts_logs = true;
};

// What has been tried and when to try again.
struct Attempt {
  uint64_t op = 0;  // the action awaited, 0: none
  uint32_t failures = 0;
  int64_t not_before_us = 0;
  bool Waits(int64_t now_us) const { return op != 0 || now_us < not_before_us; }
};

// Death of a server by PROTOCOL.md; each stage can be repeated by any master.
enum class RecoveryStage : uint8_t { kFence, kStop, kRename, kSeal, kSort, kReady };

struct Recovery {
  RecoveryStage stage = RecoveryStage::kFence;
  bool by_force = false;  // it holds its lock, and is to die
  Attempt attempt;
  std::map<uint64_t, Attempt> parts;            // segments not yet sorted
  std::map<uint64_t, uint64_t> last_sequences;  // of each tablet in the sealed log
  std::string error;
};

struct Server {
  ServerId id;
  bool live = false;  // held its lock when last seen
  bool reported = false;
  bool leaves = false;  // by its last report: it gets no tablet
  // Epochs of tablets in its reports, while METADATA is being read.
  std::map<uint64_t, uint64_t> served_at_start;
  Attempt asking;
  int64_t next_ask_us = 0;
  int64_t reported_us = 0;      // when the last report came
  int64_t silent_since_us = 0;  // 0: its last answer was one
  std::map<uint64_t, int64_t>
      unanswered;  // tablets whose load or unload lacks an answer: since when
  uint64_t first_unpublished_file = 0;
  uint64_t weight = 0;                    // of its tablets, and of those on their way to it
  std::map<uint64_t, uint64_t> promised;  // weights by op: changes of METADATA under way
  size_t loads = 0;                       // in flight
  std::set<uint64_t> waiting;             // tablets whose load waits for one to end
  // Whose records name it. Reports and balance rounds walk it for each of a million tablets.
  absl::btree_map<uint64_t, Tablet*> tablets;
  std::optional<Recovery> recovery;
};

struct Table {
  std::shared_ptr<const TableRecord> record;
  TableLife life = TableLife::kLive;
  // Of its file in the lock service, which is written before anything else happens.
  TableLife file_life = TableLife::kLive;
  uint64_t version = 0;                     // 0: there is none yet
  int64_t kept_until_us = 0;                // of a kept one, wall clock
  Attempt attempt;                          // of what is awaited for the table as a whole
  std::shared_ptr<const TableRecord> next;  // the alteration that is being written
  std::map<ServerId, Attempt> to_tell;      // servers that have not got the schema
  std::map<TabletKey, std::pair<TabletFacts, Attempt>> unwritten;  // rows that its creation makes
  std::map<TabletKey, std::shared_ptr<const engine::TabletState>> restored;  // what is in them
  TabletKey unserved;    // a tablet that was not served when last looked at
  uint64_t request = 0;  // who waits, 0: nobody
  int64_t requested_us = 0;
  // METADATA has all of its rows: one that is made, or on its way out, owes nobody a hole.
  bool IsWhole() const { return life == TableLife::kLive || life == TableLife::kKept; }
};

// Two neighbours become one (merge_step.h).
struct Merge {
  uint64_t id = 0;
  TabletKey left;
  TabletKey right;
  uint64_t left_epoch = 0;  // when it began
  uint64_t right_epoch = 0;
  bool level = false;  // births of families are no obstacle; until then both are served
  Attempt attempt;
};

// Tablets with some of `rows` become one, for somebody who waits.
struct MergeRequest {
  uint64_t table_id = 0;
  RowRange rows;
  int64_t requested_us = 0;
  uint64_t merge = 0;  // under way
  Attempt attempt;
};

enum class GarbageStage : uint8_t { kIdle, kList, kFirstScan, kWait, kSecondScan, kTrash, kPurge };

struct Garbage {
  GarbageStage stage = GarbageStage::kIdle;
  Attempt attempt;
  int64_t next_us = 0;
  FileListing candidates;
  std::vector<ServerId> strays;  // logs of unknown lives, in the round before
};

enum class StartStage : uint8_t { kServers, kReports, kRoot, kMetadata, kScan, kRunning };

// Rows of a table that no known tablet has: a split whose notice was lost, or damage.
struct Hole {
  uint64_t table_id = 0;
  RowRange rows;
  Attempt attempt;
};

struct MasterState {
  MasterOptions options;
  uint64_t epoch = 0;   // fences older masters; 0: not the master
  int64_t wall_us = 0;  // at the last tick
  uint64_t next_op = 1;
  uint64_t next_number = 1;  // of tables and tablets: (epoch << 32) + number
  engine::Random random{0};

  StartStage stage = StartStage::kServers;
  Attempt starting;  // ReadRoot and ReadRecords of the start
  TabletKey scanned_to;
  bool tables_known = false;
  Attempt reading_tables;
  bool servers_known = false;
  Attempt polling;
  int64_t next_poll_us = 0;  // looks at servers/
  int64_t next_balance_us = 0;

  std::map<ServerId, Server> servers;
  TabletMap tablets;
  std::map<uint64_t, Table> tables;
  std::map<uint64_t, Merge> merges;
  std::map<uint64_t, MergeRequest> merge_requests;  // by request
  std::map<TabletKey, Hole> holes;                  // by the key of the rows' end
  Garbage garbage;
  uint64_t sweep_errors = 0;  // sweeps that ended early: nothing was taken

  std::map<uint64_t, ActionBody> awaited;  // by op: actions that have not been answered
  // Tablets to look at in this step, and later.
  std::set<uint64_t> dirty;
  std::set<uint64_t> unplaced;  // there was no server
  std::set<std::pair<int64_t, uint64_t>> timers;

  Server* FindServer(const ServerId& id) {
    auto found = servers.find(id);
    return found == servers.end() ? nullptr : &found->second;
  }
  Table* FindTable(uint64_t table_id) {
    auto found = tables.find(table_id);
    return found == tables.end() ? nullptr : &found->second;
  }
  // Of a table that has not been dropped.
  Table* FindTable(const std::string& name);
  uint64_t NewId() { return (epoch << 32) + next_number++; }
};

}  // namespace sippar::cluster::master
