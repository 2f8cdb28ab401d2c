// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/unnamed_logs.h"

#include <algorithm>

namespace sippar::cluster {
namespace {

bool HasLaterWrites(const TabletRecord& record,
                    const engine::LogSegments::TabletSequences& sequences) {
  auto last = sequences.find(record.tablet_id);
  return last != sequences.end() && last->second > record.state.redo_sequence;
}

}  // namespace

std::vector<ServerId> UnnamedLogs(const TabletRecord& record, const LastSequences& lives) {
  std::vector<ServerId> unnamed;
  for (const auto& [life, sequences] : lives) {
    const bool is_named = record.server == life || std::find(record.logs.begin(), record.logs.end(),
                                                             life) != record.logs.end();
    if (!is_named && HasLaterWrites(record, sequences)) unnamed.push_back(life);
  }
  return unnamed;
}

void NameLogs(const LastSequences& lives, TabletRecord* record) {
  for (const auto& [life, sequences] : lives) {
    if (HasLaterWrites(*record, sequences)) record->logs.push_back(life);
  }
  // Sorts the logs from oldest to newest, as a replay needs them: a later life has a higher epoch.
  std::sort(record->logs.begin(), record->logs.end(),
            [](const auto& a, const auto& b) { return a.epoch < b.epoch; });
  record->logs.erase(std::unique(record->logs.begin(), record->logs.end()), record->logs.end());
  record->phase = TabletPhase::kUnassigned;
  record->server = ServerId();
  ++record->tablet_epoch;
}

}  // namespace sippar::cluster
