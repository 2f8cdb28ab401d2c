// The world of the master's tests: checks of invariants.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "world.h"

namespace sippar::cluster::master {
namespace {

bool Overlap(const RowRange& a, const RowRange& b) { return !Intersect(a, b).IsEmpty(); }

std::string Range(const RowRange& rows) {
  return fmt::format("['{}', '{}')", rows.start, rows.limit);
}

}  // namespace

// I5: every row of a table has a tablet; only a split or merge may give it two.
std::string World::CheckTiling(uint64_t table_id, bool settled) const {
  std::string covered;
  bool ended = false;
  for (auto it = records.upper_bound(TabletKey::Before(table_id, ""));
       it != records.end() && it->first.table_id == table_id; ++it) {
    const RowRange& range = it->second.range;
    if (range.start > covered) {
      return fmt::format("table {:x}: no tablet has {}", table_id, Range({covered, range.start}));
    }
    bool merging = it->second.phase == TabletPhase::kMerging;
    if (settled && (merging || it->second.split || range.start != covered)) {
      return fmt::format("table {:x}: {} is not settled", table_id, Print(FactsOf(it->second)));
    }
    covered = range.limit;
    ended = range.limit.empty();
  }
  return ended ? "" : fmt::format("table {:x}: no tablet has {}", table_id, Range({covered, ""}));
}

// I4: among all processes whose acknowledgements count, at most one serves a row.
std::string World::CheckOwners() const {
  struct Owned {
    const WorldServer* server;
    const WorldTablet* tablet;
  };
  std::vector<Owned> owned;
  for (const auto& [id, server] : servers) {
    if (!server.running || !server.has_name) continue;
    for (const auto& [tablet_id, tablet] : server.tablets) owned.push_back({&server, &tablet});
  }
  for (size_t i = 0; i < owned.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const Owned& a = owned[i];
      const Owned& b = owned[k];
      if (a.tablet->key.table_id != b.tablet->key.table_id) continue;
      if (!Overlap(a.tablet->range, b.tablet->range)) continue;
      return fmt::format("{} at epoch {} and {} at epoch {} both serve rows of table {:x} {}",
                         a.server->id.ToString(), a.tablet->epoch, b.server->id.ToString(),
                         b.tablet->epoch, a.tablet->key.table_id, Range(a.tablet->range));
    }
  }
  return "";
}

std::string World::CheckFiles() const {
  for (const auto& [key, record] : records) {
    for (uint64_t id : record.state.FileIds()) {
      if (!files.contains(id)) {
        return fmt::format("{} names file {:x}, which was collected", Print(FactsOf(record)), id);
      }
    }
    for (const ServerId& log : record.logs) {
      if (servers.at(log).log_trashed) {
        return fmt::format("{} names the log of {}, which was collected", Print(FactsOf(record)),
                           log.ToString());
      }
    }
  }
  return "";
}

bool World::IsDeadly(uint64_t table_id, const RowRange& range) const {
  return std::any_of(deadly.begin(), deadly.end(), [&](const auto& row) {
    return row.first == table_id && range.Contains(row.second);
  });
}

std::string World::CheckAlways() const {
  std::string wrong = CheckOwners();
  if (wrong.empty()) wrong = CheckFiles();
  if (wrong.empty() && RecordOf(kMetadataTableId, "~") != nullptr) {
    wrong = CheckTiling(kMetadataTableId, false);
  }
  for (const auto& [id, file] : tables) {
    bool whole = file.life == TableLife::kLive || file.life == TableLife::kKept;
    if (wrong.empty() && whole) wrong = CheckTiling(id, false);
  }
  return wrong;
}

std::string World::CheckSettled() const {
  std::map<uint64_t, std::multimap<std::string, uint64_t>> readable;
  for (const auto& [key, record] : records) {
    if (key.table_id != kMetadataTableId && !tables.contains(key.table_id)) {
      return "a row without a table: " + Print(FactsOf(record));
    }
    readable[key.table_id].merge(ReadAll(record));
    auto kept = tables.find(key.table_id);
    if (kept != tables.end() && kept->second.life == TableLife::kKept) {
      if (record.phase == TabletPhase::kAssigned) return "kept: " + Print(FactsOf(record));
      continue;
    }
    const bool is_set_aside = record.suspicion && record.suspicion->set_aside;
    if (is_set_aside && IsDeadly(key.table_id, record.range)) continue;
    if (!IsServed(record)) return "not served: " + Print(FactsOf(record));
    const WorldTablet& tablet = servers.at(record.server).tablets.at(record.tablet_id);
    auto table = tables.find(key.table_id);
    if (table != tables.end() && tablet.schema_version != table->second.table.schema_version) {
      return "served with an old schema: " + Print(FactsOf(record));
    }
  }
  for (const auto& [id, file] : tables) {
    bool kept = file.life == TableLife::kKept;  // a merge may be half done
    if (!kept && file.life != TableLife::kLive) return "a table that is neither made nor dropped";
    std::string wrong = CheckTiling(id, !kept);
    if (!wrong.empty()) return wrong;
    auto expected = oracle_.find(id);
    if (expected == oracle_.end()) continue;
    for (const auto& [row, numbers] : expected->second) {
      auto found = readable[id].equal_range(row);
      std::set<uint64_t> got;
      for (auto it = found.first; it != found.second; ++it) got.insert(it->second);
      for (uint64_t number : numbers) {
        if (!got.contains(number)) {
          return fmt::format("acknowledged write {} to row '{}' is lost", number, row);
        }
      }
    }
  }
  return CheckTiling(kMetadataTableId, true);
}

std::string World::Dump() const {
  std::string text;
  for (const auto& [key, record] : records) text += Print(FactsOf(record)) + "\n";
  for (const auto& [id, server] : servers) {
    if (!server.running) continue;
    text += id.ToString() + " serves";
    for (const auto& [tablet_id, tablet] : server.tablets) {
      text += fmt::format(" {} @{}", Print(tablet.key), tablet.epoch);
    }
    text += server.tablets.empty() ? " nothing\n" : "\n";
  }
  return text;
}

}  // namespace sippar::cluster::master
