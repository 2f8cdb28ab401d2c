// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/record_plan.h"

#include <fmt/format.h>

namespace sippar::cluster {

TabletRecord WithState(TabletRecord record, const engine::TabletState& state,
                       uint64_t replayed_through) {
  record.state = state;
  if (state.redo_sequence >= replayed_through) record.logs.clear();
  return record;
}

bool IsCurrent(const TabletRecord& record, const engine::TabletState& state) {
  return record.logs.empty() && record.state.Encode() == state.Encode();
}

TabletRecord WithoutServer(TabletRecord record) {
  record.phase = TabletPhase::kUnassigned;
  record.server = ServerId();
  ++record.tablet_epoch;
  return record;
}

TabletRecord WithSplit(TabletRecord record, const engine::TabletState& closed,
                       const SplitRecord& split) {
  record.state = closed;
  // The parent was flushed, so its children need no log.
  record.logs.clear();
  record.split = split;
  ++record.tablet_epoch;
  return record;
}

Standing StandingOf(const TabletRecord& found, const TabletRecord& mine, const SplitRecord* split) {
  if (found.tablet_id == mine.tablet_id) {
    bool same = found.tablet_epoch == mine.tablet_epoch && found.server == mine.server &&
                found.phase == TabletPhase::kAssigned;
    return same ? Standing::kMine : Standing::kLost;
  }
  bool child = split != nullptr && (found.tablet_id == split->left.tablet_id ||
                                    found.tablet_id == split->right.tablet_id);
  return child ? Standing::kSplit : Standing::kLost;
}

std::string SaveText(const TabletRecord& before, const engine::TabletState& state) {
  return fmt::format("{} to {} files, redo point {} to {}", before.state.FileIds().size(),
                     state.FileIds().size(), before.state.redo_sequence, state.redo_sequence);
}

}  // namespace sippar::cluster
