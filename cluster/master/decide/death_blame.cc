// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/death_blame.h"

#include <algorithm>

namespace sippar::cluster::master {
namespace {

constexpr size_t kTrialShares = 8;
// The next suspect is tried after the previous one has been served for this long. This is much
// shorter than a trial, so that innocent suspects do not wait long. Most deadly tablets end their
// server while they are loaded.
constexpr int64_t kTurnUs = 2'000'000;

int64_t WallAt(const MasterState& state, int64_t now_us, int64_t at_us) {
  return state.wall_us - (now_us - at_us);
}

// True if an earlier master assigned the tablet to its server: this master may not know when the
// server loaded it.
bool IsInherited(const MasterState& state, const Tablet& tablet) {
  const int64_t assigned_us = tablet.facts.assigned_us;
  return assigned_us != 0 && assigned_us < state.first_wall_us;
}

// True if the tablet was on trial at the time `at_us` of this master's monotonic clock. `at_us`
// must not be in the future.
bool IsOnTrial(const Turn& turn, const Server& server, const Tablet& tablet, int64_t at_us) {
  const MasterState& state = *turn.state;
  const TabletFacts& facts = tablet.facts;
  if (facts.table_id == kMetadataTableId || facts.phase != TabletPhase::kAssigned) return false;
  if (tablet.served_us) return at_us - *tablet.served_us < state.options.trial_us;
  if (tablet.load_sent) return true;
  if (server.waiting.contains(facts.tablet_id) || !IsInherited(state, tablet)) return false;
  const int64_t age_us = WallAt(state, turn.now_us, at_us) - facts.assigned_us;
  return age_us < state.options.unseen_trial_us;
}

size_t DeathsOf(const MasterState& state, const Tablet& tablet) {
  const auto& deaths = tablet.facts.deaths;
  return static_cast<size_t>(std::count_if(deaths.begin(), deaths.end(), [&](const auto& death) {
    return state.wall_us - death.time_us < state.options.deaths_us;
  }));
}

bool IsSuspect(const MasterState& state, const Tablet& tablet) {
  return state.options.sets_aside && tablet.facts.table_id != kMetadataTableId &&
         DeathsOf(state, tablet) + 1 >= state.options.deaths_max;
}

// True if an earlier master has blamed the tablet for the death of this server.
bool WasBlamed(const Server& dead, const Tablet& tablet) {
  const TabletFacts& facts = tablet.facts;
  return facts.phase == TabletPhase::kRecovering && !facts.deaths.empty() &&
         facts.deaths.back().server == dead.id;
}

// True if the crash of the server may be the tablet's fault.
bool IsAccused(const Tablet& tablet, bool is_on_trial, const std::optional<CrashNote>& crash) {
  if (!crash) return false;
  if (crash->tablet_id == 0) return is_on_trial;
  const TabletFacts& facts = tablet.facts;
  return facts.tablet_id == crash->tablet_id && facts.table_id != kMetadataTableId &&
         facts.phase == TabletPhase::kAssigned;
}

std::map<uint64_t, Blame> Judge(const Turn& turn, const Server& dead) {
  const MasterState& state = *turn.state;
  const int64_t died_us = dead.recovery->since_us;
  std::map<uint64_t, Blame> blames;
  std::vector<uint64_t> blamed;
  size_t most = 0;
  bool alone = true;
  for (const auto& [id, tablet] : dead.tablets) {
    alone = alone && !WasBlamed(dead, *tablet);
    const bool is_on_trial = IsOnTrial(turn, dead, *tablet, died_us);
    if (!IsAccused(*tablet, is_on_trial, dead.recovery->crash)) {
      const bool has_passed = !is_on_trial && tablet->served_us.has_value();
      blames[id] = has_passed ? Blame::kCleared : Blame::kNone;
      continue;
    }
    const size_t deaths = DeathsOf(state, *tablet);
    if (deaths > most) blamed.clear();
    most = std::max(most, deaths);
    if (deaths == most) blamed.push_back(id);
  }
  alone = alone && blamed.size() == 1;
  for (uint64_t id : blamed) {
    blames[id] = alone && most + 1 >= state.options.deaths_max ? Blame::kSetAside : Blame::kBlamed;
  }
  return blames;
}

}  // namespace

Blame BlameOf(Turn* turn, Server* dead, const Tablet& tablet) {
  const MasterState& state = *turn->state;
  if (!state.options.sets_aside || state.stage != StartStage::kRunning) return Blame::kNone;
  if (!dead->recovery->blames) dead->recovery->blames = Judge(*turn, *dead);
  auto found = dead->recovery->blames->find(tablet.facts.tablet_id);
  return found == dead->recovery->blames->end() ? Blame::kNone : found->second;
}

bool MayTry(const Turn& turn, const Server& server, const Tablet& tablet) {
  if (!IsSuspect(*turn.state, tablet)) return true;
  size_t suspects = 0;
  size_t on_trial = 0;
  for (const auto& [id, other] : server.tablets) {
    if (!IsSuspect(*turn.state, *other)) continue;
    ++suspects;
    const bool has_its_turn = other->served_us ? turn.now_us - *other->served_us < kTurnUs
                                               : IsOnTrial(turn, server, *other, turn.now_us);
    on_trial += other != &tablet && has_its_turn ? 1 : 0;
  }
  return on_trial < std::max<size_t>(suspects / kTrialShares, 1);
}

void BeginServing(const Turn& turn, Tablet* tablet) {
  if (tablet->served_us) return;
  tablet->served_us = turn.now_us;
  if (tablet->load_sent) return;
  // A report shows that the server serves the tablet. An earlier master ordered the load, so the
  // age of the assignment is the best estimate of the time served.
  const int64_t age_us = turn.state->wall_us - tablet->facts.assigned_us;
  *tablet->served_us -= std::max<int64_t>(age_us, 0);
}

}  // namespace sippar::cluster::master
