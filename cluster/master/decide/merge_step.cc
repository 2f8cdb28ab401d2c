// Runs merges: those that administrators request and those of small neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/merge_step.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/location/set_aside.h"
#include "cluster/master/decide/tablet_step.h"
#include "engine/tablet/reshape.h"

namespace sippar::cluster::master {
namespace {

// Most failures of one stage; after one more the merge is given up and its tablets are released.
constexpr uint32_t kFailuresMax = 8;

void LetGo(Turn* turn, Tablet* tablet, uint64_t merge_id) {
  if (tablet == nullptr || tablet->held_by != merge_id) return;
  tablet->held_by = 0;
  tablet->wants_close = false;
  LookAgain(turn, *tablet);
}

// Releases the tablets when the merge is committed or given up. The merge leaves no other trace:
// the tablets' records alone then decide what happens to the tablets.
void End(Turn* turn, const Merge& ended) {
  Merge merge = ended;
  turn->state->merges.erase(merge.id);
  LetGo(turn, turn->state->tablets.Find(merge.left), merge.id);
  LetGo(turn, turn->state->tablets.Find(merge.right), merge.id);
}

bool IsMergeable(const Tablet& tablet) {
  return tablet.facts.phase == TabletPhase::kAssigned && tablet.loaded && tablet.held_by == 0 &&
         tablet.op == 0 && tablet.target.IsNone();
}

uint64_t StartMerge(Turn* turn, Tablet* left, Tablet* right) {
  Merge merge;
  merge.id = turn->state->NewId();
  merge.left = left->facts.key();
  merge.right = right->facts.key();
  merge.left_epoch = left->facts.tablet_epoch;
  merge.right_epoch = right->facts.tablet_epoch;
  for (Tablet* tablet : {left, right}) {
    tablet->held_by = merge.id;
  }
  turn->state->merges[merge.id] = merge;
  return merge.id;
}

bool IsMerging(const Tablet& tablet) { return tablet.facts.phase == TabletPhase::kMerging; }

// True if the tablet is still as the merge found it, or is kMerging because of this merge:
// kStartMerge raises the epoch by one. If false, the tablet's server died, the tablet was split, or
// the merge is committed or has failed too often.
bool Holds(const Merge& merge, const Tablet& tablet, uint64_t epoch) {
  if (tablet.held_by != merge.id || tablet.failures > kFailuresMax) return false;
  if (IsMerging(tablet)) return tablet.facts.tablet_epoch == epoch + 1;
  return tablet.facts.phase == TabletPhase::kAssigned && tablet.facts.tablet_epoch == epoch;
}

bool HoldsBoth(const Merge& merge, const Tablet* left, const Tablet* right) {
  return left != nullptr && right != nullptr && Holds(merge, *left, merge.left_epoch) &&
         Holds(merge, *right, merge.right_epoch);
}

void RunMerge(Turn* turn, Merge* merge) {
  Tablet* left = turn->state->tablets.Find(merge->left);
  Tablet* right = turn->state->tablets.Find(merge->right);
  const bool tried_enough = merge->attempt.failures > kFailuresMax;
  if (tried_enough || !HoldsBoth(*merge, left, right)) return End(turn, *merge);
  if (merge->attempt.Waits(turn->now_us)) return;
  if (!merge->level) {
    return turn->Ask(&merge->attempt, action::LevelBirths{left->facts.ref(), right->facts.ref()});
  }
  for (Tablet* tablet : {left, right}) {
    if (tablet->wants_close) continue;
    tablet->wants_close = true;
    LookAgain(turn, *tablet);
  }
  bool closed = (IsMerging(*left) || left->closed) && (IsMerging(*right) || right->closed);
  if (!closed) return;
  const RecordChange intent{RecordChangeKind::kStartMerge, ServerId(), 0};
  if (!IsMerging(*left)) {
    turn->Ask(&merge->attempt, action::ChangeRecord{left->facts.ref(), intent});
  } else if (!IsMerging(*right)) {
    turn->Ask(&merge->attempt, action::ChangeRecord{right->facts.ref(), intent});
  } else {
    turn->Ask(&merge->attempt,
              action::CommitMerge{left->facts.ref(), right->facts.ref(), turn->state->NewId()});
  }
}

bool Try(Turn* turn, Tablet* left, Tablet* right, uint64_t* merge_id) {
  if (!IsMergeable(*left) || !IsMergeable(*right) ||
      left->facts.range.limit != right->facts.range.start) {
    return false;
  }
  *merge_id = StartMerge(turn, left, right);
  return true;
}

const Tablet* FindSetAside(const std::vector<Tablet*>& tablets) {
  for (const Tablet* tablet : tablets) {
    if (tablet->facts.set_aside) return tablet;
  }
  return nullptr;
}

// Merges one pair after another until a single tablet contains all the rows.
void RunRequest(Turn* turn, uint64_t id, MergeRequest* request) {
  MasterState* state = turn->state;
  if (request->merge != 0) {
    if (state->merges.contains(request->merge)) return;
    request->merge = 0;
    turn->Failed(&request->attempt);  // unless fewer tablets are left: see below
  }
  std::vector<Tablet*> tablets = state->tablets.Overlapping(request->table_id, request->rows);
  Status status;
  if (state->FindTable(request->table_id) == nullptr) {
    status = NotFound(fmt::format("table {}: it was dropped during the merge", request->table));
  } else if (const Tablet* aside = FindSetAside(tablets); aside != nullptr && tablets.size() >= 2) {
    status = FailedPrecondition(std::string(
        MessageOf(SetAsideError(aside->facts.tablet_id, aside->facts.range, aside->facts.deaths))));
  } else if (tablets.size() >= 2) {
    // Each merge that succeeds gives the next one the whole time, and the next one begins at once.
    // After one that was given up, the next attempt waits a while.
    // Only fewer tablets than ever before count: a server may split what was merged.
    if (request->tablets == 0) request->tablets = tablets.size();
    if (tablets.size() < request->tablets) {
      request->tablets = tablets.size();
      request->since_us = turn->now_us;
      request->attempt = Attempt();
    }
    if (turn->now_us < request->since_us + state->options.answer_us) {
      if (!request->attempt.Waits(turn->now_us)) {
        Try(turn, tablets[0], tablets[1], &request->merge);
      }
      return;
    }
    status = Unavailable(
        fmt::format("table {}: {} tablets are left to merge, and none was merged for {} s (tablet "
                    "{} or {} has no "
                    "server, moves or is busy); what is merged stays merged; try again",
                    request->table, tablets.size(), state->options.answer_us / 1'000'000,
                    tablets[0]->facts.tablet_id, tablets[1]->facts.tablet_id));
  }
  turn->Reply(id, status);
  state->merge_requests.erase(id);
}

}  // namespace

void OnEvent(Turn* turn, const event::MergeTablets& request) {
  Table* table = turn->state->FindTable(request.table);
  if (table == nullptr) {
    return turn->Reply(request.request, NotFound(fmt::format("table {} not found", request.table)));
  }
  MergeRequest& merge = turn->state->merge_requests[request.request];
  merge.table = request.table;
  merge.table_id = table->record->table_id;
  merge.rows = request.rows;
  merge.since_us = turn->now_us;
}

void MergeSmallTablets(Turn* turn) {
  MasterState* state = turn->state;
  Tablet* left = nullptr;
  for (auto& [key, right] : state->tablets.all()) {
    if (state->merges.size() >= state->options.merges_max) return;
    bool neighbours = left != nullptr && left->facts.table_id == right.facts.table_id &&
                      right.facts.table_id != kMetadataTableId;
    if (neighbours) {
      auto size_of = [&](const Tablet& tablet) {
        return engine::TabletSize{tablet.facts.stored_bytes, tablet.memtable_bytes,
                                  turn->now_us - tablet.since_us};
      };
      // Servers decide on splits by the same split_size, and a merge is limited to a part of it, so
      // a merged tablet is not immediately split again.
      const Table* table = state->FindTable(right.facts.table_id);
      const uint64_t usual = state->options.split_size;
      const uint64_t split_size =
          table == nullptr ? usual : engine::SplitSizeOf(table->record->schema, usual);
      uint64_t id = 0;
      // The two tablets together must also be far below the limit for a split by load; otherwise
      // the merged tablet would soon be split again.
      bool cold = left->calls_per_second + right.calls_per_second <= state->options.split_calls / 4;
      if (cold && engine::DecideMerge(size_of(*left), size_of(right), split_size).wanted &&
          Try(turn, left, &right, &id)) {
        left = nullptr;
        continue;
      }
    }
    left = &right;
  }
}

void RunMerges(Turn* turn) {
  MasterState* state = turn->state;
  for (auto it = state->merge_requests.begin(); it != state->merge_requests.end();) {
    auto request = it++;
    RunRequest(turn, request->first, &request->second);
  }
  for (auto it = state->merges.begin(); it != state->merges.end();) {
    RunMerge(turn, &(it++)->second);
  }
}

void LookAtMerging(Turn* turn, Tablet* tablet) {
  if (tablet->held_by != 0) return;
  const Tablet* right = turn->state->tablets.Next(tablet->facts.key());
  if (right != nullptr && right->facts.range.start <= tablet->facts.range.start) {
    // The merge was committed; reading the rows again completes the erasure of the left record.
    return Doubt(turn, tablet->facts.table_id, tablet->facts.range);
  }
  // Cancels the merge (makes the record kUnassigned again) only while the right neighbour is
  // served, or if there is none. The older master had both tablets closed before its first write,
  // and an epoch that was closed is never served again. So a served neighbour has a newer record
  // than the one that a late write of the older master (to kMerging, or a commit) names, and that
  // write fails.
  if (right == nullptr ? tablet->facts.range.limit.empty() : right->loaded) {
    tablet->op = turn->Ask(
        action::ChangeRecord{tablet->facts.ref(), {RecordChangeKind::kCancelMerge, ServerId(), 0}});
  }
}

void MergeAnswered(Turn* turn, const event::Done& done) {
  for (auto& [id, merge] : turn->state->merges) {
    if (merge.attempt.op != done.op) continue;
    if (done.status.ok()) {
      merge.attempt = Attempt();
      merge.level = true;
    } else {
      turn->Failed(&merge.attempt);
    }
    return;
  }
}

}  // namespace sippar::cluster::master
