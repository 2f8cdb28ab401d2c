// Passes each event and answer to the *_step file that handles it, then lets each of these files do
// the work that is due.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/master_step.h"

#include <utility>

#include "cluster/master/decide/alter_table_step.h"
#include "cluster/master/decide/balance_step.h"
#include "cluster/master/decide/create_table_step.h"
#include "cluster/master/decide/delete_table_step.h"
#include "cluster/master/decide/garbage_step.h"
#include "cluster/master/decide/kept_table_step.h"
#include "cluster/master/decide/merge_step.h"
#include "cluster/master/decide/placement_step.h"
#include "cluster/master/decide/recover_step.h"
#include "cluster/master/decide/server_step.h"
#include "cluster/master/decide/startup_step.h"
#include "cluster/master/decide/tablet_step.h"
#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {
namespace {

void OnEvent(Turn* turn, const event::LockTaken& taken) {
  if (turn->state->epoch == 0) turn->state->epoch = taken.epoch;
}

// A tick only updates the clocks, because every step checks what is due.
void OnEvent(Turn* turn, const event::Tick& tick) {
  turn->state->wall_us = tick.wall_us;
  turn->state->clock.Tick(tick.wall_us, turn->now_us);
}

void OnEvent(Turn* turn, const event::ServersChanged&) { turn->state->next_poll_us = 0; }

void OnEvent(Turn* turn, const event::SplitDone& split) {
  const Tablet* tablet = turn->state->tablets.FindId(split.tablet_id);
  if (tablet != nullptr && tablet->facts.server == split.server) {
    Doubt(turn, tablet->facts.table_id, tablet->facts.range);
  }
}

// Only the sweep (garbage_step.h) waits for these answers; GarbageAnswered handles them.
void OnDone(Turn*, const action::ListFiles&, const event::Done&) {}
void OnDone(Turn*, const action::FindReferences&, const event::Done&) {}
void OnDone(Turn*, const action::TrashFiles&, const event::Done&) {}
void OnDone(Turn*, const action::PurgeTrash&, const event::Done&) {}
// A reply has no answer. Only a merge waits for LevelBirths; MergeAnswered handles the answer.
void OnDone(Turn*, const action::Reply&, const event::Done&) {}
void OnDone(Turn*, const action::LevelBirths&, const event::Done&) {}

// Learns the merged tablet like any other record. After that, merge_step.cc sees that the merge has
// ended.
void OnDone(Turn* turn, const action::CommitMerge&, const event::Done& done) {
  const auto* page = std::get_if<RecordPage>(&done.answer);
  if (page == nullptr) return;
  for (const TabletFacts& facts : page->records) Learn(turn, facts);
}

void OnEvent(Turn* turn, const event::Done& done) {
  auto awaited = turn->state->awaited.find(done.op);
  // The action was answered before, or an earlier master requested it.
  if (awaited == turn->state->awaited.end()) return;
  ActionBody asked = std::move(awaited->second);
  turn->state->awaited.erase(awaited);
  std::visit([&](const auto& body) { OnDone(turn, body, done); }, asked);
  MergeAnswered(turn, done);
  GarbageAnswered(turn, done);
}

// Looks at marked tablets until none is left, because looking at one tablet may mark others.
void LookAtTablets(Turn* turn) {
  MasterState* state = turn->state;
  while (!state->timers.empty() && state->timers.begin()->first <= turn->now_us) {
    state->dirty.insert(state->timers.begin()->second);
    state->timers.erase(state->timers.begin());
  }
  while (!state->dirty.empty() || WakeWaiting(turn)) {
    std::set<uint64_t> dirty;
    dirty.swap(state->dirty);
    for (uint64_t tablet_id : dirty) {
      if (Tablet* tablet = state->tablets.FindId(tablet_id)) LookAt(turn, tablet);
    }
    if (!turn->to_place.empty()) PlaceTablets(turn);
  }
}

}  // namespace

Table* MasterState::FindTable(const std::string& name) {
  for (auto& [id, table] : tables) {
    bool has_name = table.life == TableLife::kLive || table.life == TableLife::kCreating;
    if (has_name && table.record->schema.name == name) return &table;
  }
  return nullptr;
}

std::string MasterState::WhyClockDoubted() const {
  std::vector<int64_t> skews_us;
  for (const auto& [id, server] : servers) {
    if (server.live && server.skew_us.has_value()) skews_us.push_back(*server.skew_us);
  }
  return clock.WhyDoubted(skews_us);
}

std::vector<Action> Step(MasterState* state, const Event& event, int64_t now_us) {
  Turn turn{state, now_us, {}, {}, {}};
  std::visit([&](const auto& body) { OnEvent(&turn, body); }, event);
  if (state->epoch == 0) return {};
  RunServers(&turn);
  Start(&turn);
  RunMerges(&turn);
  RunTables(&turn);
  RunBalance(&turn);
  RunGarbage(&turn);
  ReadHoles(&turn);
  LookAtTablets(&turn);
  return std::move(turn.actions);
}

}  // namespace sippar::cluster::master
