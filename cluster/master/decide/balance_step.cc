// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/balance_step.h"

#include <algorithm>
#include <utility>

#include "cluster/master/decide/balance_plan.h"
#include "cluster/master/decide/merge_step.h"
#include "cluster/master/decide/tablet_step.h"

namespace sippar::cluster::master {
namespace {

// Rounds for which a tablet stays after a move, because its load on the new server is not known
// yet.
constexpr int64_t kRoundsToStay = 3;

bool IsMovable(const Turn& turn, const Tablet& tablet) {
  return tablet.loaded && tablet.op == 0 && tablet.held_by == 0 && tablet.target.IsNone() &&
         tablet.facts.table_id != kMetadataTableId &&
         turn.now_us - tablet.since_us >= kRoundsToStay * turn.state->options.balance_us;
}

// Returns the servers that take part in a balance round, each with its tablets that may move. Adds
// the number of moves in flight to *moving.
std::vector<BalanceServer> ServersToBalance(Turn* turn, size_t* moving) {
  MasterState* state = turn->state;
  std::vector<BalanceServer> servers;
  for (const auto& [id, server] : state->servers) {
    if (!server.Answers() || server.leaves) continue;
    if (state->IsDrained(server)) continue;
    BalanceServer entry{id, server.weight, {}};
    entry.movable.reserve(server.tablets.size());
    for (const auto& [tablet_id, tablet] : server.tablets) {
      if (!tablet->target.IsNone()) ++*moving;
      if (!IsMovable(*turn, *tablet)) continue;
      uint64_t calls = turn->now_us < tablet->whole_until_us ? 0 : tablet->calls_per_second;
      entry.movable.push_back({tablet_id, tablet->weight, WeightOfCalls(calls)});
    }
    servers.push_back(std::move(entry));
  }
  return servers;
}

}  // namespace

void RunBalance(Turn* turn) {
  MasterState* state = turn->state;
  if (state->stage != StartStage::kRunning || turn->now_us < state->next_balance_us) return;
  state->next_balance_us = turn->now_us + state->options.balance_us;
  MergeSmallTablets(turn);
  const bool is_ordered = std::exchange(state->balances_once, false);
  if (!state->orders.balancing && !is_ordered) return;
  size_t moving = 0;
  std::vector<BalanceServer> servers = ServersToBalance(turn, &moving);
  size_t moves_max = std::max(state->options.moves_max, servers.size());
  if (moving >= moves_max) return;
  // While tablets move, no tablet is split: the moves may be enough.
  uint64_t split_weight = moving > 0 ? UINT64_MAX : WeightOfCalls(state->options.split_calls);
  BalancePlan plan = PlanBalance(std::move(servers), moves_max - moving, split_weight);
  for (const Move& move : plan.moves) {
    Tablet* tablet = state->tablets.FindId(move.tablet_id);
    tablet->target = move.to;
    LookAgain(turn, *tablet);
  }
  for (uint64_t hot : plan.splits) {
    Tablet* tablet = state->tablets.FindId(hot);
    tablet->op = turn->Ask(action::SplitByLoad{tablet->facts.server, tablet->facts.ref()});
  }
}

void OnDone(Turn* turn, const action::SplitByLoad& asked, const event::Done& done) {
  Tablet* tablet = turn->state->tablets.Find(asked.record.key());
  if (tablet == nullptr || tablet->op != done.op) return;
  tablet->op = 0;
  // If no row halves the tablet's load, its server is not asked again for some rounds.
  tablet->whole_until_us = turn->now_us + kRoundsToStay * turn->state->options.balance_us;
  LookAgain(turn, *tablet);
  // The records of these rows are read again even if the answer was lost, because the split may
  // have happened.
  Doubt(turn, asked.record.table_id, asked.record.range);
}

}  // namespace sippar::cluster::master
