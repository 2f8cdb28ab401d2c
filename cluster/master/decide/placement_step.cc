// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/placement_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/location/set_aside.h"
#include "cluster/master/decide/assign_plan.h"
#include "cluster/master/decide/tablet_step.h"
#include "engine/base/printable.h"

namespace sippar::cluster::master {
namespace {

constexpr size_t kNamesMax = 20;  // most live servers named in one message

std::string LiveServers(const MasterState& state) {
  std::string names;
  size_t count = 0;
  for (const auto& [id, server] : state.servers) {
    if (!server.live || ++count > kNamesMax) continue;
    names += (names.empty() ? "" : ", ") + id.ToString();
  }
  if (count > kNamesMax) names += fmt::format(" and {} more", count - kNamesMax);
  return names.empty() ? "no server is live" : "live servers: " + names;
}

bool IsAnyLive(const MasterState& state, const ServerId& except) {
  return std::any_of(state.servers.begin(), state.servers.end(),
                     [&](const auto& entry) { return entry.second.live && entry.first != except; });
}

// OK if the tablet may be sent to `target` now.
Status CheckMove(const MasterState& state, const event::MoveTablet& request, const Tablet& tablet,
                 const ServerId& target) {
  const Server& server = state.servers.at(target);
  if (server.leaves || state.IsDrained(server)) {
    return FailedPrecondition(
        fmt::format("server {}: it is draining and takes no tablets ({}); {}", target.ToString(),
                    LiveServers(state),
                    IsAnyLive(state, target) ? "name another one" : "start another one first"));
  }
  if (tablet.facts.set_aside) {
    return FailedPrecondition(fmt::format("tablet of table {} with row '{}': it is set aside: {}",
                                          request.table, engine::PrintableBytes(request.row),
                                          WhySetAside(tablet.facts.deaths, tablet.facts.range)));
  }
  if (tablet.held_by != 0 || tablet.facts.phase == TabletPhase::kMerging) {
    return FailedPrecondition(
        fmt::format("tablet of table {} with row '{}': it is being merged with a neighbour; try "
                    "again when it is served",
                    request.table, engine::PrintableBytes(request.row)));
  }
  return OkStatus();
}

Status Move(Turn* turn, const event::MoveTablet& request) {
  MasterState* state = turn->state;
  if (state->stage != StartStage::kRunning) {
    return Unavailable("the master is starting and is still reading METADATA; try again");
  }
  ASSIGN_OR_RETURN(ServerId target, FindLiveServer(*state, request.server));
  ASSIGN_OR_RETURN(Tablet * tablet, FindTabletOf(state, request.table, request.row));
  RETURN_IF_ERROR(CheckMove(*state, request, *tablet, target));
  const bool stays = tablet->facts.phase == TabletPhase::kAssigned &&
                     tablet->facts.server == target && !tablet->closed;
  // A tablet that is already assigned to the target server gets no target; otherwise the move would
  // never seem to end.
  tablet->target = stays ? ServerId() : target;
  LookAgain(turn, *tablet);
  return OkStatus();
}

Status BeginLetBack(Turn* turn, const event::LetBack& request) {
  MasterState* state = turn->state;
  if (state->stage != StartStage::kRunning) {
    return Unavailable("the master is starting and is still reading METADATA; try again");
  }
  ASSIGN_OR_RETURN(Tablet * tablet, FindTabletOf(state, request.table, request.row));
  tablet->wants_back = tablet->facts.set_aside;
  LookAgain(turn, *tablet);
  return OkStatus();
}

// Returns the live servers that answer, do not shut down and are not drained. A drain moves served
// tablets only to these.
std::vector<ServerLoad> Takers(const MasterState& state) {
  std::vector<ServerLoad> takers;
  for (const auto& [id, server] : state.servers) {
    const bool takes = server.Answers() && !server.leaves && !state.IsDrained(server);
    if (takes && server.unanswered.empty()) {
      takers.push_back({id, server.weight});
    }
  }
  return takers;
}

// Appends tablets of `server` that can begin to move, until *left is 0. Lowers *left by one for
// each of them, and by one for each tablet that already has a server to move to.
void AddLeaving(const Server& server, size_t* left, std::vector<TabletToPlace>* leaving) {
  for (const auto& [tablet_id, tablet] : server.tablets) {
    if (*left == 0) return;
    if (!tablet->target.IsNone()) {
      --*left;
    } else if (tablet->loaded && tablet->op == 0 && tablet->held_by == 0) {
      leaving->push_back({tablet_id, tablet->weight, tablet->facts.table_id == kMetadataTableId,
                          tablet->refused_by});
      --*left;
    }
  }
}

}  // namespace

StatusOr<ServerId> FindLiveServer(const MasterState& state, const std::string& text) {
  const Server* known = nullptr;
  // Servers of one name are sorted by their epochs, so the newest live one is chosen.
  for (const auto& [id, server] : state.servers) {
    if (id.name != text && id.ToString() != text) continue;
    if (known == nullptr || server.live || !known->live) known = &server;
  }
  if (known == nullptr) {
    return NotFound(fmt::format("server {} not found ({}); {}", text, LiveServers(state),
                                IsAnyLive(state, {}) ? "name one of them" : "start one first"));
  }
  if (!known->live) {
    return FailedPrecondition(
        fmt::format("server {}: it has ended ({}); {}", known->id.ToString(), LiveServers(state),
                    IsAnyLive(state, {}) ? "name one of them" : "start one first"));
  }
  return known->id;
}

StatusOr<Tablet*> FindTabletOf(MasterState* state, const std::string& table,
                               const std::string& row) {
  uint64_t table_id = kMetadataTableId;
  if (table != kMetadataName) {
    const Table* found = state->FindTable(table);
    if (found == nullptr || found->life != TableLife::kLive) {
      return NotFound(fmt::format("table {} not found", table));
    }
    table_id = found->record->table_id;
  }
  for (Tablet* tablet : state->tablets.Overlapping(table_id, {row, engine::RowSuccessor(row)})) {
    if (tablet->facts.range.Contains(row)) return tablet;
  }
  return Unavailable(fmt::format("table {}: no tablet with row '{}' is known at present; try again",
                                 table, engine::PrintableBytes(row)));
}

void OnEvent(Turn* turn, const event::MoveTablet& request) {
  turn->Reply(request.request, Move(turn, request));
}

void OnEvent(Turn* turn, const event::LetBack& request) {
  turn->Reply(request.request, BeginLetBack(turn, request));
}

void OnEvent(Turn* turn, const event::BalanceNow& request) {
  turn->state->next_balance_us = 0;
  turn->state->balances_once = true;
  turn->Reply(request.request, OkStatus());
}

void RunDrains(Turn* turn) {
  MasterState* state = turn->state;
  if (state->orders.drained.empty() || state->stage != StartStage::kRunning) return;
  std::vector<TabletToPlace> leaving;
  size_t left = state->options.moves_max;
  for (const auto& [id, server] : state->servers) {
    if (server.live && state->IsDrained(server)) AddLeaving(server, &left, &leaving);
  }
  for (const Placement& placement : PlanAssignment(Takers(*state), std::move(leaving))) {
    Tablet* tablet = state->tablets.FindId(placement.tablet_id);
    tablet->target = placement.server;
    LookAgain(turn, *tablet);
  }
}

}  // namespace sippar::cluster::master
