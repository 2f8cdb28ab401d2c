// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/death_blame.h"

#include <algorithm>

namespace sippar::cluster::master {

Blame BlameOf(const MasterState& state, const Server& dead, const Tablet& tablet) {
  const std::optional<CrashNote>& crash = dead.recovery->crash;
  const TabletFacts& facts = tablet.facts;
  if (!state.options.sets_aside || !crash || crash->tablet_id != facts.tablet_id ||
      facts.table_id == kMetadataTableId) {
    return Blame::kNone;
  }
  const auto recent =
      std::count_if(facts.deaths.begin(), facts.deaths.end(), [&](const ServerDeath& death) {
        return state.wall_us - death.time_us < state.options.deaths_us;
      });
  const size_t deaths = static_cast<size_t>(recent) + 1;
  return deaths >= state.options.deaths_max ? Blame::kSetAside : Blame::kBlamed;
}

}  // namespace sippar::cluster::master
