// The sweep. SPDX-License-Identifier: Apache-2.0
#include "cluster/master/garbage_step.h"

#include "cluster/master/garbage_plan.h"
#include "cluster/master/tablet_step.h"
#include "engine/base/seeded_bug.h"
#include "engine/model/change_config.h"

namespace sippar::cluster::master {
namespace {

std::vector<Creator> CreatorsOf(const MasterState& state) {
  std::vector<Creator> creators;
  for (const auto& [id, server] : state.servers) {
    creators.push_back({id, server.live ? server.first_unpublished_file : 0});
  }
  return creators;
}

// Rows of a table that does not exist: an older master wrote them after this one had read METADATA.
void DoubtStrangers(Turn* turn, const References& found) {
  for (uint64_t table_id : found.tables) {
    bool known = table_id == kMetadataTableId || turn->state->FindTable(table_id) != nullptr;
    if (!known) Doubt(turn, table_id, RowRange::All());
  }
}

action::PurgeTrash Purge(const MasterState& state) {
  action::PurgeTrash purge;
  purge.age_us = state.options.trash_us;
  for (const auto& [id, table] : state.tables) {
    // A table that had a stream, or gets one just now, loses nothing that could be asked for.
    auto config = engine::ChangeStreamOf(table.record->schema);
    purge.changes_us[id] = config ? config->retention_us : engine::kChangesKeptMaxUs;
  }
  purge.tables_end = (state.epoch << 32) + state.next_number;
  return purge;
}

void EndRound(Turn* turn) {
  int64_t next_us = turn->now_us + turn->state->options.garbage_us;
  turn->state->garbage = Garbage();
  turn->state->garbage.next_us = next_us;
}

void Next(Turn* turn, GarbageStage stage, FileListing candidates) {
  Garbage& garbage = turn->state->garbage;
  garbage.stage = stage;
  garbage.candidates = std::move(candidates);
  garbage.attempt = Attempt();
}

}  // namespace

void RunGarbage(Turn* turn) {
  MasterState* state = turn->state;
  Garbage& garbage = state->garbage;
  if (state->stage != StartStage::kRunning || garbage.attempt.Waits(turn->now_us)) return;
  if (garbage.next_us == 0) garbage.next_us = turn->now_us + state->options.garbage_us;
  switch (garbage.stage) {
    case GarbageStage::kIdle:
      if (turn->now_us < garbage.next_us) return;
      garbage.stage = GarbageStage::kList;
      [[fallthrough]];
    case GarbageStage::kList:
      return turn->Ask(&garbage.attempt, action::ListFiles{});
    case GarbageStage::kFirstScan:
    case GarbageStage::kSecondScan:
      return turn->Ask(&garbage.attempt, action::FindReferences{});
    case GarbageStage::kWait:
      // A reader of what a compaction has replaced opens its files within this time.
      if (turn->now_us < garbage.next_us) return;
      garbage.stage = GarbageStage::kSecondScan;
      return turn->Ask(&garbage.attempt, action::FindReferences{});
    case GarbageStage::kTrash: {
      // Once more: a life may have begun, or been found unrecovered, since the listing.
      FileListing rest = Collectable(garbage.candidates, CreatorsOf(*state));
      return turn->Ask(&garbage.attempt,
                       action::TrashFiles{std::move(rest.files), std::move(rest.logs)});
    }
    case GarbageStage::kPurge:
      return turn->Ask(&garbage.attempt, Purge(*state));
  }
}

void GarbageAnswered(Turn* turn, const event::Done& done) {
  MasterState* state = turn->state;
  Garbage& garbage = state->garbage;
  if (garbage.attempt.op != done.op) return;
  const auto* listed = std::get_if<FileListing>(&done.answer);
  const auto* found = std::get_if<References>(&done.answer);
  bool lists = garbage.stage == GarbageStage::kList;
  bool scans = !lists && garbage.stage < GarbageStage::kTrash;
  bool lacks = (lists && listed == nullptr) || (scans && found == nullptr);
  if (!done.status.ok() || lacks) return EndRound(turn);
  if (scans) DoubtStrangers(turn, *found);
  switch (garbage.stage) {
    case GarbageStage::kList:
      Next(turn, GarbageStage::kFirstScan, Collectable(*listed, CreatorsOf(*state)));
      break;
    case GarbageStage::kFirstScan:
      garbage.next_us = turn->now_us + state->options.garbage_us;
      Next(turn, SEEDED_BUG("gc-without-second-scan") ? GarbageStage::kTrash : GarbageStage::kWait,
           Unnamed(garbage.candidates, found->named));
      break;
    case GarbageStage::kSecondScan:
      Next(turn, GarbageStage::kTrash, Unnamed(garbage.candidates, found->named));
      break;
    case GarbageStage::kTrash:
      Next(turn, GarbageStage::kPurge, {});
      break;
    default:
      EndRound(turn);
  }
  RunGarbage(turn);
}

}  // namespace sippar::cluster::master
