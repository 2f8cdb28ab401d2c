// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/garbage_step.h"

#include <algorithm>
#include <utility>

#include "cluster/master/decide/garbage_plan.h"
#include "cluster/master/decide/recover_step.h"
#include "cluster/master/decide/tablet_step.h"
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

std::vector<ServerId> Living(const MasterState& state) {
  std::vector<ServerId> living;
  for (const auto& [id, server] : state.servers) {
    if (server.live) living.push_back(id);
  }
  return living;
}

// False while METADATA may get names that a scan does not find. A live server that does not know
// the outcome of its last change may write the names of that change when it retries. If the backup
// of a restored table expires meanwhile, only this master's memory names the table's files until
// the table's rows are written.
bool AreSure(const MasterState& state) {
  bool servers_are = std::all_of(state.servers.begin(), state.servers.end(), [](const auto& entry) {
    const Server& server = entry.second;
    return !server.live || (server.silent_since_us == 0 && server.first_unpublished_file != 0);
  });
  return servers_are &&
         std::all_of(state.tables.begin(), state.tables.end(),
                     [](const auto& entry) { return entry.second.restored.empty(); });
}

// If METADATA has rows of unknown tables, marks these rows to be read again. The rows are erased
// after that: an older master wrote them after this master had read METADATA.
void DoubtStrangers(Turn* turn, const References& found) {
  for (uint64_t table_id : found.tables) {
    bool known = table_id == kMetadataTableId || turn->state->FindTable(table_id) != nullptr;
    if (!known) Doubt(turn, table_id, RowRange::All());
  }
}

action::PurgeTrash Purge(const MasterState& state, int64_t now_us) {
  action::PurgeTrash purge;
  purge.wall_us = state.clock.BestMicros(now_us);
  purge.age_us = state.options.trash_us;
  for (const auto& [id, table] : state.tables) {
    // A table without a stream gets the longest retention: it may have had a stream before or may
    // get one now, and changes that a reader could still request must not be deleted.
    auto config = engine::ChangeStreamOf(table.record->schema);
    purge.changes_us[id] = config ? config->retention_us : engine::kChangesKeptMaxUs;
  }
  purge.tables_end = (state.epoch << 32) + state.next_number;
  return purge;
}

// Recovers servers that have a log but that this master never knew. A server makes its log before
// its file in the lock service, so the log may belong to a server that is starting. So such a
// server is recovered only if its log was listed in the previous round, too.
void RecoverStrays(Turn* turn, const std::vector<ServerId>& open_logs) {
  std::vector<ServerId> strays;
  for (const ServerId& log : open_logs) {
    if (turn->state->FindServer(log) == nullptr) strays.push_back(log);
  }
  std::vector<ServerId> before = std::exchange(turn->state->garbage.strays, strays);
  for (const ServerId& log : strays) {
    if (std::find(before.begin(), before.end(), log) == before.end()) continue;
    Server& server = turn->state->servers[log];
    server.id = log;
    StartRecovery(turn, &server, /*by_force=*/false);
  }
}

void EndRound(Turn* turn) {
  Garbage next;
  next.next_us = turn->now_us + turn->state->options.garbage_us;
  next.strays = std::move(turn->state->garbage.strays);
  turn->state->garbage = std::move(next);
}

void Next(Turn* turn, GarbageStage stage, FileListing candidates) {
  Garbage& garbage = turn->state->garbage;
  garbage.stage = stage;
  garbage.candidates = std::move(candidates);
  garbage.attempt = Attempt();
}

// True if `done` lacks the result that `stage` needs: the listing, or the names that a scan found.
bool LacksAnswer(GarbageStage stage, const event::Done& done) {
  if (stage == GarbageStage::kList) return !std::holds_alternative<FileListing>(done.answer);
  const bool scans = stage > GarbageStage::kList && stage < GarbageStage::kTrash;
  return scans && !std::holds_alternative<References>(done.answer);
}

// True from the first scan to the move to the trash. If METADATA got a name of a file in these
// stages and the scans did not see it, the file would be removed.
bool ReliesOnMetadata(GarbageStage stage) {
  return stage > GarbageStage::kList && stage <= GarbageStage::kTrash;
}

}  // namespace

void RestoreBegins(Turn* turn) {
  if (ReliesOnMetadata(turn->state->garbage.stage)) EndRound(turn);
}

void RunGarbage(Turn* turn) {
  MasterState* state = turn->state;
  Garbage& garbage = state->garbage;
  if (state->stage != StartStage::kRunning || garbage.attempt.Waits(turn->now_us)) return;
  if (garbage.next_us == 0) garbage.next_us = turn->now_us + state->options.garbage_us;
  if (ReliesOnMetadata(garbage.stage) && !AreSure(*state)) return EndRound(turn);
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
      // A name that was copied to another record during the first scan is seen by the second scan.
      // What a split hides from a scan, the scan itself reads again (ScanBorder).
      if (turn->now_us < garbage.next_us) return;
      garbage.stage = GarbageStage::kSecondScan;
      return turn->Ask(&garbage.attempt, action::FindReferences{});
    case GarbageStage::kTrash: {
      // Decides again what is collectable: since the listing, a server may have started, or may
      // have been found dead but not yet recovered.
      FileListing rest = Collectable(garbage.candidates, CreatorsOf(*state));
      return turn->Ask(&garbage.attempt,
                       action::TrashFiles{std::move(rest.files), std::move(rest.logs),
                                          Living(*state), state->clock.BestMicros(turn->now_us)});
    }
    case GarbageStage::kPurge:
      if (!state->WhyClockDoubted().empty()) return EndRound(turn);
      return turn->Ask(&garbage.attempt, Purge(*state, turn->now_us));
  }
}

void GarbageAnswered(Turn* turn, const event::Done& done) {
  MasterState* state = turn->state;
  Garbage& garbage = state->garbage;
  if (garbage.attempt.op != done.op) return;
  const auto* listed = std::get_if<FileListing>(&done.answer);
  const auto* found = std::get_if<References>(&done.answer);
  if (!done.status.ok() || LacksAnswer(garbage.stage, done)) {
    ++state->sweep_errors;
    // Files that could not be moved to the trash are left for the next round. The trash of earlier
    // rounds is still purged now.
    if (garbage.stage != GarbageStage::kTrash) return EndRound(turn);
  }
  if (found != nullptr) DoubtStrangers(turn, *found);
  switch (garbage.stage) {
    case GarbageStage::kList:
      RecoverStrays(turn, listed->open_logs);
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
    case GarbageStage::kIdle:
    case GarbageStage::kWait:
    case GarbageStage::kPurge:
      EndRound(turn);
  }
  RunGarbage(turn);
}

}  // namespace sippar::cluster::master
