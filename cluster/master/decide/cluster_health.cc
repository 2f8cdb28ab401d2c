// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/cluster_health.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/location/set_aside.h"

namespace sippar::cluster::master {
namespace {

const char* StageName(RecoveryStage stage) {
  switch (stage) {
    case RecoveryStage::kFence:
      return "fence";
    case RecoveryStage::kStop:
      return "stop";
    case RecoveryStage::kRename:
      return "rename";
    case RecoveryStage::kSeal:
      return "seal";
    case RecoveryStage::kSort:
      return "sort";
    case RecoveryStage::kReady:
      return "ready";
  }
  return "?";
}

std::string StateName(const MasterState& state, const Server& server) {
  if (!server.live) return "recovering";
  if (server.silent_since_us != 0) return "silent";
  return server.leaves || state.IsDrained(server) ? "draining" : "live";
}

ServerStatus StatusOf(const MasterState& state, const Server& server) {
  ServerStatus status;
  status.id = server.id;
  status.state = StateName(state, server);
  status.tablets = server.tablets.size();
  status.bytes = server.figures.bytes;
  status.memtable_bytes = server.figures.memtable_bytes;
  status.reads_per_s = server.figures.reads_per_s;
  status.writes_per_s = server.figures.writes_per_s;
  if (server.lease_left_us) status.lease_left_ms = *server.lease_left_us / 1000;
  if (server.skew_us) status.skew_ms = *server.skew_us / 1000;
  return status;
}

RecoveryStatus StatusOf(const Server& server, int64_t now_us) {
  const Recovery& recovery = *server.recovery;
  return {server.id, StageName(recovery.stage), server.tablets.size(), now_us - recovery.since_us,
          recovery.error};
}

// Explains why no server serves a tablet that its server has closed or was told to close.
std::string WhyClosed(const Tablet& tablet) {
  if (tablet.target.IsNone()) return "its server has closed it";
  return fmt::format("it moves from {} to {}", tablet.facts.server.ToString(),
                     tablet.target.ToString());
}

std::string WhyRecovering(const MasterState& state, const Tablet& tablet) {
  const ServerId& id = tablet.facts.server;
  auto server = state.servers.find(id);
  if (server == state.servers.end() || !server->second.recovery) {
    return fmt::format("server {} has ended", id.ToString());
  }
  const Recovery& recovery = *server->second.recovery;
  return fmt::format("server {} has ended; its recovery is at stage {}{}{}", id.ToString(),
                     StageName(recovery.stage), recovery.error.empty() ? "" : ": ", recovery.error);
}

// Counts tablets, which must come in key order, and records those that no server serves.
class TabletCensus {
 public:
  TabletCensus(const MasterState& state, int64_t now_us, ClusterHealth* health)
      : state_(state), now_us_(now_us), health_(health) {
    // Checks all servers once, because looking up the server of each tablet would cost more than
    // the rest of the census.
    all_live_ = std::all_of(state.servers.begin(), state.servers.end(),
                            [](const auto& entry) { return entry.second.live; });
  }

  void Add(const Tablet& tablet) {
    const uint64_t table_id = tablet.facts.table_id;
    if (table_id != table_id_) Enter(table_id);
    TabletCounts& counts = health_->tablets;
    if (!counts_) return;
    ++counts.total;
    if (kept_) {
      ++counts.set_aside;
    } else if (tablet.loaded && (all_live_ || IsLive(tablet.facts.server))) {
      ++counts.online;
    } else {
      AddUnserved(tablet);
    }
  }

  // Records rows of a table that belong to none of its tablets.
  void AddMissing(uint64_t table_id, const RowRange& rows) {
    Enter(table_id);
    if (!counts_ || kept_) return;
    Note({name_, rows, 0, "missing", "METADATA names no tablet with these rows", 0});
  }
  bool all_served() const { return all_served_; }

 private:
  bool IsLive(const ServerId& id) const {
    auto server = state_.servers.find(id);
    return server != state_.servers.end() && server->second.live;
  }

  void Enter(uint64_t table_id) {
    table_id_ = table_id;
    kept_ = false;
    counts_ = table_id == kMetadataTableId;
    if (counts_) name_ = kMetadataName;
    auto table = state_.tables.find(table_id);
    if (table == state_.tables.end()) return;
    counts_ = table->second.IsWhole();
    kept_ = table->second.life == TableLife::kKept;
    name_ = table->second.record->schema.name;
  }

  // `unserved_us` of a tablet whose server has ended is set only when the server is fenced. Until
  // then, the time counts from the start of the server's recovery.
  int64_t UnservedSince(const Tablet& tablet) const {
    if (tablet.unserved_us != 0) return tablet.unserved_us;
    auto server = state_.servers.find(tablet.facts.server);
    const bool is_recovering = server != state_.servers.end() && server->second.recovery;
    return is_recovering ? server->second.recovery->since_us : now_us_;
  }

  void AddUnserved(const Tablet& tablet) {
    TabletCounts& counts = health_->tablets;
    UnservedTablet unserved{name_, tablet.facts.range, tablet.facts.tablet_id, "", "", 0};
    unserved.for_us = now_us_ - UnservedSince(tablet);
    const ServerId& server = tablet.facts.server;
    const TabletPhase phase = tablet.facts.phase;
    if (tablet.facts.set_aside && phase == TabletPhase::kUnassigned) {
      ++counts.set_aside;
      unserved.state = "set_aside";
      unserved.why = WhySetAside(tablet.facts.deaths, tablet.facts.range);
    } else if (phase == TabletPhase::kMerging || (tablet.held_by != 0 && tablet.closed)) {
      ++counts.merging;
      unserved.state = "merging";
      unserved.why = "it is being merged with a neighbour";
    } else if (phase == TabletPhase::kUnassigned) {
      ++counts.unassigned;
      unserved.state = "unassigned";
      unserved.why = state_.unplaced.contains(tablet.facts.tablet_id)
                         ? "no live server can take it"
                         : "the master chooses a server";
    } else if (phase == TabletPhase::kRecovering || !IsLive(server)) {
      ++counts.recovering;
      unserved.state = "recovering";
      unserved.why = WhyRecovering(state_, tablet);
    } else {
      ++counts.loading;
      unserved.state = "loading";
      unserved.why =
          tablet.closed ? WhyClosed(tablet) : fmt::format("server {} loads it", server.ToString());
    }
    if (!tablet.error.empty()) unserved.why += ": " + tablet.error;
    Note(std::move(unserved));
  }

  void Note(UnservedTablet unserved) {
    all_served_ = false;
    if (health_->unserved.size() < ClusterHealth::kUnservedMax) {
      health_->unserved.push_back(std::move(unserved));
    }
  }

  const MasterState& state_;
  const int64_t now_us_;
  ClusterHealth* const health_;
  bool all_live_ = false;
  bool all_served_ = true;
  // The table whose tablets are being counted.
  uint64_t table_id_ = 0;
  std::string name_;
  bool counts_ = false;
  bool kept_ = false;
};

}  // namespace

ClusterHealth HealthOf(const MasterState& state, int64_t now_us) {
  ClusterHealth health;
  health.master.epoch = state.epoch;
  health.master.is_running = state.stage == StartStage::kRunning;
  health.sweep_errors = state.sweep_errors;
  health.orders = state.orders;
  if (health.master.is_running) health.clock_doubt = state.WhyClockDoubted();
  for (const auto& [id, server] : state.servers) {
    health.servers.push_back(StatusOf(state, server));
    if (server.recovery) health.recoveries.push_back(StatusOf(server, now_us));
  }
  TabletCensus census(state, now_us, &health);
  for (const auto& [key, tablet] : state.tablets.all()) census.Add(tablet);
  // `holes` also contains rows that the master reads again only to verify them. So `holes` is used
  // only to select the tables that this loop checks.
  uint64_t last_table = 0;
  for (const auto& [key, hole] : state.holes) {
    if (key.table_id == last_table) continue;
    last_table = key.table_id;
    for (const RowRange& rows : state.tablets.HolesOf(key.table_id)) {
      census.AddMissing(key.table_id, rows);
    }
  }
  // The census counts the tablets of a silent server as served: it may still serve its users.
  const bool is_silent = std::any_of(
      health.servers.begin(), health.servers.end(),
      [](const ServerStatus& server) { return server.state == "silent" && server.tablets > 0; });
  health.healthy =
      health.master.is_running && census.all_served() && health.recoveries.empty() && !is_silent;
  return health;
}

}  // namespace sippar::cluster::master
