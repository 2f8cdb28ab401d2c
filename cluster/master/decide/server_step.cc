// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/server_step.h"

#include <algorithm>
#include <iterator>

#include "cluster/master/decide/placement_step.h"
#include "cluster/master/decide/recover_step.h"
#include "cluster/master/decide/silence_step.h"
#include "cluster/master/decide/startup_step.h"
#include "cluster/master/decide/tablet_step.h"

namespace sippar::cluster::master {
namespace {

void Join(Turn* turn, const ServerId& id) {
  MasterState* state = turn->state;
  Server& server = state->servers[id];
  server.id = id;
  // The listing may have been read before this master decided to remove the server.
  if (server.live || server.recovery) return;
  server.live = true;
  LookAtUnplaced(turn);
}

void RunServer(Turn* turn, Server* server) {
  const MasterOptions& options = turn->state->options;
  if (server->recovery) return Recover(turn, server);
  if (!server->live) return;
  if (turn->now_us >= server->next_ask_us && !server->asking.Waits(turn->now_us)) {
    server->next_ask_us = turn->now_us + options.report_us;
    turn->Ask(&server->asking, action::AskServer{server->id});
  }
}

// Handles a tablet that the server serves although METADATA, as far as this master knows, does not
// assign it to the server. Either the notice of a split was lost, or the tablet no longer belongs
// to the server.
void LearnStranger(Turn* turn, const ServerId& id, const ServedTablet& served,
                   const Tablet* tablet) {
  if (turn->state->stage != StartStage::kRunning) return;
  if (tablet == nullptr || served.tablet_epoch > tablet->facts.tablet_epoch) {
    if (turn->state->FindTable(served.table_id) != nullptr || served.table_id == kMetadataTableId) {
      return Doubt(turn, served.table_id, served.range);
    }
  }
  // The tablet no longer belongs to the server, which can no longer change the tablet's record. The
  // unload makes the server stop answering clients that have not looked the tablet up again.
  turn->Ask(action::UnloadTablet{
      id, {served.table_id, served.range, served.tablet_id, served.tablet_epoch}});
}

void LearnServed(Turn* turn, Server* server, const ServedTablet& served, int64_t seconds) {
  MasterState* state = turn->state;
  auto own = server->tablets.find(served.tablet_id);
  if (own == server->tablets.end() || own->second->facts.tablet_epoch != served.tablet_epoch) {
    return LearnStranger(turn, server->id, served, state->tablets.FindId(served.tablet_id));
  }
  Tablet* tablet = own->second;
  tablet->facts.stored_bytes = served.stored_bytes;
  tablet->memtable_bytes = served.memtable_bytes;
  tablet->calls_per_second = (served.reads + served.writes) / static_cast<uint64_t>(seconds);
  SetWeight(server, tablet);
  if (!tablet->loaded && !tablet->closed) SetLoaded(turn, tablet);
  Table* table = state->FindTable(served.table_id);
  if (table != nullptr && served.schema_version != 0 &&
      served.schema_version < table->record->schema_version) {
    table->to_tell[server->id];
  }
}

ServerFigures Sum(const ServerReport& report, int64_t seconds) {
  ServerFigures sums;
  for (const ServedTablet& tablet : report.tablets) {
    sums.bytes += tablet.stored_bytes;
    sums.memtable_bytes += tablet.memtable_bytes;
    sums.reads_per_s += static_cast<double>(tablet.reads);
    sums.writes_per_s += static_cast<double>(tablet.writes);
  }
  sums.reads_per_s /= static_cast<double>(seconds);
  sums.writes_per_s /= static_cast<double>(seconds);
  return sums;
}

}  // namespace

void RunServers(Turn* turn) {
  MasterState* state = turn->state;
  if (turn->now_us >= state->next_poll_us && !state->polling.Waits(turn->now_us)) {
    state->next_poll_us = turn->now_us + state->options.poll_us;
    const bool may_note = state->stage == StartStage::kRunning && state->WhyClockDoubted().empty();
    turn->Ask(&state->polling,
              action::ListServers{may_note ? state->clock.ToNote(turn->now_us) : 0});
  }
  RemoveSilent(turn);
  for (auto it = state->servers.begin(); it != state->servers.end();) {
    RunServer(turn, &it->second);
    it = IsOver(*state, it->second) ? state->servers.erase(it) : std::next(it);
  }
}

void OnDone(Turn* turn, const action::ListServers&, const event::Done& done) {
  MasterState* state = turn->state;
  if (state->polling.op != done.op) return;
  const auto* listing = std::get_if<ServerListing>(&done.answer);
  if (!done.status.ok() || listing == nullptr) return turn->Failed(&state->polling);
  state->polling = Attempt();
  state->servers_known = true;
  state->servers_op = done.op;
  for (const ServerId& id : listing->locked) Join(turn, id);
  for (const ServerId& id : listing->unlocked) state->servers[id].id = id;
  for (auto& [id, server] : state->servers) {
    bool locked =
        std::find(listing->locked.begin(), listing->locked.end(), id) != listing->locked.end();
    // The listing alone does not remove the server: kFence, the first stage of its recovery, must
    // get the server's lock.
    if (!locked) StartRecovery(turn, &server, /*by_force=*/false);
  }
  // These servers are removed by force, because the lock of a server that has just died is held
  // until its session ends.
  for (const ServerId& id : listing->dead) {
    Server* server = state->FindServer(id);
    if (server != nullptr && server->live) StartRecovery(turn, server, /*by_force=*/true);
  }
  // The orders are read with the servers, so a new master knows them before it assigns any tablet.
  if (listing->orders) state->orders = *listing->orders;
  if (listing->noted_us) state->clock.Learn(*listing->noted_us, turn->now_us);
  RunServers(turn);
  RunDrains(turn);
}

void OnDone(Turn* turn, const action::AskServer& asked, const event::Done& done) {
  MasterState* state = turn->state;
  Server* server = state->FindServer(asked.server);
  if (server == nullptr || server->asking.op != done.op) return;
  const auto* report = std::get_if<ServerReport>(&done.answer);
  if (!done.status.ok() || report == nullptr) {
    if (server->silent_since_us == 0) server->silent_since_us = turn->now_us;
    turn->Failed(&server->asking);
    server->next_ask_us = 0;  // asks again as soon as a retry is allowed
    return;
  }
  server->asking = Attempt();
  if (server->silent_since_us != 0) {
    // Calls about its tablets could not reach it until now, so they say nothing of the server yet.
    for (auto& [tablet_id, since_us] : server->unanswered) since_us = turn->now_us;
    server->silent_since_us = 0;
  }
  server->reported = true;
  server->first_unpublished_file = report->first_unpublished_file;
  server->leaves = report->leaves;
  server->lease_left_us = report->lease_left_us;
  server->skew_us = done.skew_us;
  int64_t seconds = std::max<int64_t>((turn->now_us - server->reported_us) / 1'000'000, 1);
  server->reported_us = turn->now_us;
  server->figures = Sum(*report, seconds);
  std::vector<uint64_t> served;
  served.reserve(report->tablets.size());
  for (const ServedTablet& tablet : report->tablets) {
    served.push_back(tablet.tablet_id);
    if (state->stage != StartStage::kRunning) {
      server->served_at_start[tablet.tablet_id] = tablet.tablet_epoch;
    }
    LearnServed(turn, server, tablet, seconds);
  }
  std::sort(served.begin(), served.end());
  auto next = served.begin();
  for (const auto& [tablet_id, tablet] : server->tablets) {
    while (next != served.end() && *next < tablet_id) ++next;
    if (next != served.end() && *next == tablet_id) continue;
    // The answer to a load that ended after this report was requested is newer than the report.
    if (!tablet->loaded || tablet->learned_op > done.op) continue;
    SetUnserved(turn, tablet);
    LookAgain(turn, *tablet);
  }
  LookAtUnplaced(turn);
}

}  // namespace sippar::cluster::master
