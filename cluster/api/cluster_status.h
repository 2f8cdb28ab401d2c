// What the master reports about its cluster: the reply of calls::ClusterStatus, and the events of
// tablets. Times ending in _us are microseconds; `for_us` is how long a state has lasted so far.
// Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/server_id.h"
#include "engine/model/row_set.h"

namespace sippar::cluster {

using engine::RowRange;

struct ClusterName {
  std::string id;    // id that never changes and that no other cluster has
  std::string name;  // "" in the master's reply: only the caller knows the name that it uses

  static constexpr int kFields = 2;
};

// How other processes reach a process of the cluster, as it registered itself with the lock
// service. The texts are "" and `pid` is 0 if no other process calls it, as in a store that one
// process opens.
struct MemberInfo {
  std::string address;  // host:port or unix:PATH
  std::string machine;  // host name of its machine
  uint64_t pid = 0;
  std::string version;

  static constexpr int kFields = 4;
};

// The master that answers calls::ClusterStatus.
struct MasterStatus {
  std::string name;
  MemberInfo member;
  uint64_t epoch = 0;
  bool is_running = false;  // false while the master is still reading METADATA

  static constexpr int kFields = 4;
};

// A process that is the master (`reigns`), or that waits to become it.
struct MasterCandidate {
  std::string name;
  MemberInfo member;
  bool reigns = false;

  static constexpr int kFields = 3;
};

// One process of a tablet server that the master knows (server_id.h). Sizes and rates are sums over
// the tablets in its last report.
struct ServerStatus {
  ServerId id;
  MemberInfo member;
  // "live"; "draining": it gets no tablets and gives its own away; "silent": it holds its lock and
  // does not answer the master; "recovering": it has ended, and its log is being recovered.
  std::string state;
  uint64_t tablets = 0;  // tablets whose records name this server
  uint64_t bytes = 0;    // stored bytes, without memtables
  uint64_t memtable_bytes = 0;
  double reads_per_s = 0;
  double writes_per_s = 0;
  // From the server's last report: for how long the server could serve without another heartbeat,
  // and by how much its wall clock was ahead of the master's. nullopt: not known yet, or the lease
  // has no end.
  std::optional<int64_t> lease_left_ms;
  std::optional<int64_t> skew_ms;

  static constexpr int kFields = 10;
};

// Counts the tablets of METADATA and of all tables, except tables that are being created or
// dropped.
struct TabletCounts {
  uint64_t total = 0;  // sum of the other counts
  uint64_t online = 0;
  uint64_t loading = 0;  // a server loads the tablet, or it is closed for a move
  uint64_t unassigned = 0;
  uint64_t recovering = 0;
  uint64_t merging = 0;
  // Tablets that the master gives to no server: those of a table that was dropped and can be
  // restored, and those whose servers crashed again and again (calls::LetBack). The latter are also
  // in ClusterHealth::unserved.
  uint64_t set_aside = 0;

  static constexpr int kFields = 7;
};

// Rows of a table that no server serves.
struct UnservedTablet {
  std::string table;
  RowRange range;
  uint64_t tablet_id = 0;  // 0: METADATA names no tablet with these rows
  std::string state;       // name of a field of TabletCounts, or "missing" if tablet_id is 0
  std::string why;         // reason for people; the last error, if there is one
  int64_t for_us = 0;

  static constexpr int kFields = 6;
};

struct RecoveryStatus {
  ServerId server;
  std::string stage;          // present stage: "fence", "stop", "rename", "seal", "sort", "ready"
  uint64_t tablets_left = 0;  // tablets that still wait for this recovery
  int64_t for_us = 0;
  std::string error;  // error of the last try; empty if it did not fail

  static constexpr int kFields = 5;
};

// Orders of an administrator that hold until they are changed. The lock service keeps them, so they
// also hold for later masters and after restarts of the servers.
struct StandingOrders {
  bool balancing = true;             // the master moves and splits tablets to even out the load
  std::vector<std::string> drained;  // names of servers that get no tablets; sorted

  bool operator==(const StandingOrders&) const = default;
  static constexpr int kFields = 2;
};

struct ClusterHealth {
  ClusterName cluster;
  // True if the master is running, every tablet is served, no server with tablets is silent, and no
  // server is being recovered. Tables that were dropped or are being created do not count.
  bool healthy = false;
  MasterStatus master;
  std::vector<MasterCandidate> masters;  // by name; empty if no other process can be the master
  std::vector<ServerStatus> servers;     // sorted by name and epoch
  TabletCounts tablets;
  std::vector<UnservedTablet> unserved;  // the first kUnservedMax, in key order
  std::vector<RecoveryStatus> recoveries;
  uint64_t sweep_errors = 0;  // sweeps of unused files that failed under this master
  StandingOrders orders;
  // Why the master doubts its wall clock and removes nothing because of its date (dropped tables,
  // backups, changes, unused files), for people; empty: it trusts the clock.
  std::string clock_doubt;

  static constexpr size_t kUnservedMax = 1'000;
  static constexpr int kFields = 11;
};

// A past change of a tablet's record in METADATA.
struct TabletEventInfo {
  int64_t time_us = 0;  // since the Unix epoch
  std::string table;
  // Limit: that of the changed tablet. Start: that of the tablet that has this limit now.
  RowRange range;
  uint64_t tablet_id = 0;  // tablet that has this limit now; 0: there is none, the start is unknown
  std::string kind;        // "created", "assigned", "split", ...
  std::string text;        // reason for people

  static constexpr int kFields = 6;
};

}  // namespace sippar::cluster
