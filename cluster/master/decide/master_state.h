// Everything that the master knows, as plain values: servers, tablets, tables, and the answers that
// it waits for. master_driver.h owns the state and lets one thread at a time use it; apart from its
// options and new ids, only the *_step files change it. None of it must survive: METADATA and the
// lock service hold all durable facts, and a new master with an empty state learns everything again
// (paper section 5.2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/container/btree_map.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/master/decide/master_event.h"
#include "cluster/master/decide/tablet_map.h"
#include "cluster/master/decide/wall_clock.h"
#include "engine/base/random.h"

namespace sippar::cluster::master {

// The stages of a master's start, in order; startup_step.cc shows what each waits for.
enum class StartStage : uint8_t { kServers, kReports, kRoot, kMetadata, kScan, kRunning };

// Times ending in _us are microseconds.
struct MasterOptions {
  std::string root_limit;            // limit of a new cluster's root tablet
  int64_t poll_us = 1'000'000;       // time between two listings of servers/
  int64_t report_us = 10'000'000;    // time between two requests to a server for its report
  int64_t balance_us = 10'000'000;   // time between two balance rounds
  int64_t garbage_us = 600'000'000;  // time between two sweeps, and between a sweep's two scans
  int64_t trash_us = 3'600'000'000;  // time in the trash, from which a file can be restored
  int64_t retry_min_us = 20'000;
  int64_t retry_max_us = 2'000'000;
  // After these times a server that holds its lock but does not answer is removed (silence_step.h):
  // if it answers questions but not the calls about some tablet; if it answers nothing, and most
  // servers answer; if it answers nothing, and only a minority of the servers answers.
  int64_t unanswered_fence_us = 30'000'000;
  int64_t silent_fence_us = 15'000'000;
  int64_t lone_fence_us = 300'000'000;
  // A tablet that crashed this many servers within this time is set aside (death_blame.h).
  size_t deaths_max = 3;
  int64_t deaths_us = kDeathsKeptUs;
  // Must be false if one server has all tablets: no other server is to be protected then.
  bool sets_aside = true;
  // Longest time that an administrator's request waits for all servers to use a change that is
  // already durable.
  int64_t answer_us = 10'000'000;
  // Same as StoreOptions::split_size of the servers. Neighbours whose total size is much smaller
  // than this are merged.
  uint64_t split_size = 200 << 20;
  uint64_t split_calls = 1'000;  // calls per second below which a tablet is not split by load
  size_t moves_max = 64;         // most planned moves in flight; balancing may plan one per server
  size_t loads_max = 64;         // most loads in flight at one server
  size_t merges_max = 8;         // most automatic merges in flight
  size_t scan_page = 10'000;     // `count` of each action::ReadRecords
  // True: a record whose table has no file was written late by an older master, so it is erased.
  // False: no other master can exist, so the table's file must have been lost; the records are
  // kept.
  bool erases_strangers = true;
  // False if one server takes all tablets: it replays each segment in a single scan for all of
  // them, which costs less than sorting the segment first.
  bool sorts_logs = true;
  // The start stops when it enters this stage. A program that repairs records sets a stage before
  // kRunning, so that the start changes no user tablet. In the stages before kMetadata the start
  // changes only the root tablet.
  StartStage last_stage = StartStage::kRunning;
};

// An action that is retried until it succeeds, and the time from which it may be retried.
struct Attempt {
  uint64_t op = 0;  // number of the action in flight, 0: none
  uint32_t failures = 0;
  int64_t not_before_us = 0;
  bool Waits(int64_t now_us) const { return op != 0 || now_us < not_before_us; }
};

// Stages of the recovery of a dead server (recover_step.h, PROTOCOL.md F0 to F6). Any master can
// repeat each stage.
enum class RecoveryStage : uint8_t { kFence, kStop, kRename, kSeal, kSort, kReady };

struct Recovery {
  RecoveryStage stage = RecoveryStage::kFence;
  bool by_force = false;  // true: remove the server although it holds its lock
  Attempt attempt;
  std::map<uint64_t, Attempt> parts;  // segments that are not sorted yet
  // Highest sequence number in the sealed log, by tablet id.
  std::map<uint64_t, uint64_t> last_sequences;
  std::string error;
  int64_t since_us = 0;
  // The note that the server's process left when it crashed. None: it ended for another reason, or
  // the log is not renamed yet.
  std::optional<CrashNote> crash;
};

// Sums over the tablets of a server, from its last report.
struct ServerFigures {
  uint64_t bytes = 0;  // stored bytes
  uint64_t memtable_bytes = 0;
  double reads_per_s = 0;
  double writes_per_s = 0;
};

struct Server {
  ServerId id;
  bool live = false;  // the server held its lock when last seen
  bool reported = false;
  bool leaves = false;  // the last report says that it shuts down: it gets no more tablets
  // Tablet epochs by tablet id, from the server's reports while METADATA is still being read.
  std::map<uint64_t, uint64_t> served_at_start;
  Attempt asking;
  int64_t next_ask_us = 0;
  int64_t reported_us = 0;  // time of the last report
  // Time of the first failed action::AskServer since the last report; 0: none failed.
  int64_t silent_since_us = 0;
  // Ids of tablets whose load or unload got no answer, with the time of the first such failure.
  std::map<uint64_t, int64_t> unanswered;
  uint64_t first_unpublished_file = 0;
  ServerFigures figures;
  // `lease_left_us` and `skew_us` are from the last report.
  std::optional<int64_t> lease_left_us;
  std::optional<int64_t> skew_us;
  uint64_t weight = 0;  // weight of all `tablets`; it does not include `promised`
  // Weights, by action number, of tablets that are being assigned to the server.
  std::map<uint64_t, uint64_t> promised;
  size_t loads = 0;            // loads in flight
  std::set<uint64_t> waiting;  // tablets whose load waits until another load ends
  // Tablets whose records name this server. Reports and balance rounds walk all of a cluster's
  // million tablets here, so this is a B-tree: walking it causes few cache misses.
  absl::btree_map<uint64_t, Tablet*> tablets;
  std::optional<Recovery> recovery;
  // True if the server has answered the last question, so it can be given work.
  bool Answers() const { return live && reported && silent_since_us == 0; }
};

struct Table {
  std::shared_ptr<const TableRecord> record;
  TableLife life = TableLife::kLive;
  // The life that the table's file in the lock service records. The file is always written before
  // METADATA or a server is changed, so that the next master can continue.
  TableLife file_life = TableLife::kLive;
  uint64_t version = 0;                     // version of the file; 0: there is no file yet
  int64_t kept_until_us = 0;                // wall-clock time at which a kept table is deleted
  Attempt attempt;                          // the action that concerns the table as a whole
  std::shared_ptr<const TableRecord> next;  // the altered table, while its file is being written
  std::map<ServerId, Attempt> to_tell;      // servers that still need the current schema
  std::map<TabletKey, std::pair<TabletFacts, Attempt>> unwritten;  // METADATA rows to create
  // If the table is restored: initial contents of the tablets in `unwritten`.
  std::map<TabletKey, std::shared_ptr<const engine::TabletState>> restored;
  TabletKey unserved;  // the tablet that was not served at the last check; checked first next time
  uint64_t request = 0;  // number of the request to answer, 0: none
  bool creates = false;  // the request creates the table, perhaps from a backup
  int64_t requested_us = 0;
  // True if METADATA must have rows for the whole table. A table that is being created or deleted
  // may have holes, which then do not indicate damage.
  bool IsWhole() const { return life == TableLife::kLive || life == TableLife::kKept; }
};

// A merge of two neighbours into one tablet (merge_step.h).
struct Merge {
  uint64_t id = 0;
  TabletKey left;
  TabletKey right;
  uint64_t left_epoch = 0;  // tablet epochs when the merge began
  uint64_t right_epoch = 0;
  // True after LevelBirths has succeeded, so both tablets have the same family births. Until then
  // servers still serve them.
  bool level = false;
  Attempt attempt;
};

// An administrator's request to merge all tablets that overlap `rows` into one.
struct MergeRequest {
  std::string table;
  uint64_t table_id = 0;
  RowRange rows;
  int64_t since_us = 0;  // time of the request, or of the last merge that succeeded
  size_t tablets = 0;    // tablets that were left then; 0: not counted yet
  uint64_t merge = 0;    // number of the merge in progress; 0: none
  Attempt attempt;
};

enum class GarbageStage : uint8_t { kIdle, kList, kFirstScan, kWait, kSecondScan, kTrash, kPurge };

struct Garbage {
  GarbageStage stage = GarbageStage::kIdle;
  Attempt attempt;
  int64_t next_us = 0;
  FileListing candidates;
  std::vector<ServerId> strays;  // servers unknown to this master that had a log in the last round
};

// Rows whose records are to be read again (Doubt): no known tablet contains them, because the
// notice of a split was lost or METADATA is damaged, or the known facts may be out of date.
struct Hole {
  uint64_t table_id = 0;
  RowRange rows;
  Attempt attempt;
};

struct MasterState {
  MasterOptions options;
  uint64_t epoch = 0;   // this master's epoch, which fences older ones; 0: not the master
  int64_t wall_us = 0;  // wall clock at the last tick
  WallClock clock;
  uint64_t next_op = 1;
  // Next id of a table or tablet is (epoch << 32) + next_number, unique across masters.
  uint64_t next_number = 1;
  engine::Random random{0};

  StartStage stage = StartStage::kServers;
  Attempt starting;      // attempt of ReadRoot, ReadRecords or CreateRecord during the start
  TabletKey scanned_to;  // last key of METADATA that the start has read
  bool tables_known = false;
  Attempt reading_tables;
  bool servers_known = false;
  uint64_t servers_op = 0;  // number of the ListServers that last updated `servers`
  Attempt polling;
  int64_t next_poll_us = 0;  // time of the next listing of servers/
  int64_t next_balance_us = 0;
  bool balances_once = false;  // the next round takes place even if the orders forbid it
  StandingOrders orders;       // orders as last read from the lock service

  std::map<ServerId, Server> servers;
  int64_t alone_us = 0;     // last time at which no server answered (silence_step.h)
  int64_t minority_us = 0;  // last time at which at most half of the live servers answered
  TabletMap tablets;
  std::map<uint64_t, Table> tables;
  std::map<uint64_t, Merge> merges;
  std::map<uint64_t, MergeRequest> merge_requests;  // requests by number
  std::map<TabletKey, Hole> holes;                  // holes by the table and limit of their rows
  Garbage garbage;
  uint64_t sweep_errors = 0;  // failed actions of sweeps

  std::map<uint64_t, ActionBody> awaited;  // actions without an answer yet, by number
  // Ids of tablets to look at: those in `dirty` in this step, those in `timers` at the given times,
  // and those in `unplaced` when a server may have become available.
  std::set<uint64_t> dirty;
  std::set<uint64_t> unplaced;
  std::set<std::pair<int64_t, uint64_t>> timers;

  Server* FindServer(const ServerId& id) {
    auto found = servers.find(id);
    return found == servers.end() ? nullptr : &found->second;
  }
  Table* FindTable(uint64_t table_id) {
    auto found = tables.find(table_id);
    return found == tables.end() ? nullptr : &found->second;
  }
  // True if an administrator has drained the server.
  bool IsDrained(const Server& server) const {
    return std::binary_search(orders.drained.begin(), orders.drained.end(), server.id.name);
  }
  // Finds a table by name; dropped tables do not count, even if they are kept.
  Table* FindTable(const std::string& name);
  // Why nothing may be removed because of its date now (wall_clock.h); "": it may.
  std::string WhyClockDoubted() const;
  uint64_t NewId() { return (epoch << 32) + next_number++; }
};

}  // namespace sippar::cluster::master
