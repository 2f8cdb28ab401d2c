// Updates the state with the content of METADATA: the functions Learn, Forget, LearnRange, Doubt,
// LookAgain, SetWeight and WeightOfCalls of tablet_step.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cluster/master/decide/tablet_step.h"

namespace sippar::cluster::master {
namespace {

// An idle tablet also has a cost for its server. 64 MiB of data, or ten calls a second, each add
// about the cost of an idle tablet.
constexpr uint64_t kIdleWeight = 100;
constexpr uint64_t kBytesPerWeight = (64 << 20) / kIdleWeight;
constexpr uint64_t kWeightPerCall = 10;

void Leave(MasterState* state, Tablet* tablet) {
  Server* server = state->FindServer(tablet->facts.server);
  if (server == nullptr || server->tablets.erase(tablet->facts.tablet_id) == 0) return;
  server->weight -= tablet->weight;
  server->unanswered.erase(tablet->facts.tablet_id);
}

void Enter(MasterState* state, Tablet* tablet) {
  if (tablet->facts.server.IsNone()) return;
  Server& server = state->servers[tablet->facts.server];
  server.id = tablet->facts.server;
  if (server.tablets.emplace(tablet->facts.tablet_id, tablet).second)
    server.weight += tablet->weight;
}

// True if the server had reported this tablet with this epoch before the tablet's record was read.
// The report is still valid: the server refuses older masters and this master has requested no
// unload, so only the server itself could have unloaded the tablet since.
bool IsServed(const MasterState& state, const TabletFacts& facts) {
  auto server = state.servers.find(facts.server);
  if (facts.phase != TabletPhase::kAssigned || server == state.servers.end()) return false;
  const auto& served = server->second.served_at_start;
  auto found = served.find(facts.tablet_id);
  return found != served.end() && found->second == facts.tablet_epoch;
}

bool IsWhole(MasterState* state, uint64_t table_id) {
  if (state->stage != StartStage::kRunning) return false;
  const Table* table = state->FindTable(table_id);
  return table_id == kMetadataTableId || (table != nullptr && table->IsWhole());
}

// Marks the gaps between known tablets to be read again: those on both sides of the tablet with
// `key` or, if no tablet has this key any more, those on both sides of its neighbour.
void DoubtHoles(Turn* turn, const TabletKey& key) {
  if (!IsWhole(turn->state, key.table_id)) return;
  TabletMap& tablets = turn->state->tablets;
  const Tablet* near = tablets.Find(key);
  if (near == nullptr) near = tablets.Next(key);
  if (near == nullptr) near = tablets.Previous(key);
  if (near == nullptr) return Doubt(turn, key.table_id, RowRange::All());
  for (const RowRange& rows : tablets.HolesBeside(near->facts.key())) {
    Doubt(turn, key.table_id, rows);
  }
}

// If another tablet also has some of the tablet's rows and neither tablet is being merged, marks
// the tablet's rows to be read again: what the master knows about one of the two is out of date.
void DoubtOverlaps(Turn* turn, const Tablet& tablet) {
  TabletMap& tablets = turn->state->tablets;
  const RowRange& range = tablet.facts.range;
  for (Tablet* other : tablets.Overlapping(tablet.facts.table_id, range)) {
    if (other == &tablet || other->facts.phase == TabletPhase::kMerging ||
        tablet.facts.phase == TabletPhase::kMerging) {
      continue;
    }
    Doubt(turn, tablet.facts.table_id, range);
    return;
  }
}

}  // namespace

uint64_t WeightOfCalls(uint64_t calls_per_second) { return calls_per_second * kWeightPerCall; }

void SetWeight(Server* server, Tablet* tablet) {
  uint64_t bytes = tablet->facts.stored_bytes + tablet->memtable_bytes;
  uint64_t weight = kIdleWeight + bytes / kBytesPerWeight + WeightOfCalls(tablet->calls_per_second);
  if (server != nullptr) server->weight += weight - tablet->weight;
  tablet->weight = weight;
}

void LookAgain(Turn* turn, const Tablet& tablet) {
  turn->state->dirty.insert(tablet.facts.tablet_id);
}

void Doubt(Turn* turn, uint64_t table_id, const RowRange& rows) {
  Hole& hole = turn->state->holes[{table_id, rows.limit}];
  if (hole.table_id == 0 || rows.start < hole.rows.start) hole.rows = rows;
  hole.table_id = table_id;
}

void Learn(Turn* turn, const TabletFacts& facts) {
  MasterState* state = turn->state;
  Tablet* known = state->tablets.Find(facts.key());
  if (known != nullptr && known->facts.tablet_epoch > facts.tablet_epoch) return;
  bool changed = known == nullptr || known->facts.tablet_epoch < facts.tablet_epoch;
  if (known != nullptr) Leave(state, known);
  Tablet* tablet = state->tablets.Put(facts);
  if (changed) {
    // Failures are kept until a server serves the tablet; otherwise the wait between retries would
    // not grow for a tablet that no server can load.
    Tablet fresh;
    fresh.facts = facts;
    fresh.held_by = tablet->held_by;
    fresh.op = tablet->op;
    fresh.failures = tablet->failures;
    fresh.error = std::move(tablet->error);
    fresh.refused_by = std::move(tablet->refused_by);
    fresh.since_us = turn->now_us;
    fresh.wants_back = tablet->wants_back && facts.set_aside;
    fresh.unserved_us = tablet->unserved_us == 0 ? turn->now_us : tablet->unserved_us;
    *tablet = std::move(fresh);
  }
  tablet->learned_op = state->next_op;
  Enter(state, tablet);
  SetWeight(state->FindServer(facts.server), tablet);
  LookAgain(turn, *tablet);
  if (!changed) return;
  if (IsServed(*state, facts)) SetLoaded(turn, tablet);
  DoubtHoles(turn, facts.key());
  if (state->stage == StartStage::kRunning) DoubtOverlaps(turn, *tablet);
  // A merge that an older master left in kMerging can be cancelled only while the right neighbour
  // is served (LookAtMerging). That neighbour has just changed, so the left tablet is checked
  // again.
  Tablet* left = state->tablets.Previous(facts.key());
  if (left != nullptr && left->facts.phase == TabletPhase::kMerging) LookAgain(turn, *left);
}

void Forget(Turn* turn, const TabletKey& key) {
  MasterState* state = turn->state;
  Tablet* tablet = state->tablets.Find(key);
  if (tablet == nullptr) return;
  Leave(state, tablet);
  state->tablets.Erase(key);
  DoubtHoles(turn, key);
}

void LearnRange(Turn* turn, uint64_t asked, const TabletKey& after, const TabletKey& last,
                const std::vector<TabletFacts>& records) {
  TabletMap::Map& all = turn->state->tablets.all();
  std::vector<TabletKey> gone;
  auto record = records.begin();
  for (auto it = all.upper_bound(after); it != all.end() && !(last < it->first); ++it) {
    while (record != records.end() && record->key() < it->first) ++record;
    bool listed = record != records.end() && record->key() == it->first;
    if (!listed && it->second.learned_op <= asked) gone.push_back(it->first);
  }
  for (const TabletFacts& facts : records) Learn(turn, facts);
  for (const TabletKey& key : gone) Forget(turn, key);
}

}  // namespace sippar::cluster::master
