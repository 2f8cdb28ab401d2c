// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/tablet_map.h"

namespace sippar::cluster::master {
namespace {

uint64_t StoredBytes(const engine::TabletState& state) {
  uint64_t bytes = 0;
  for (const engine::GroupState& group : state.groups) {
    for (const engine::RunState& run : group.runs) {
      for (const engine::FileRef& file : run.files) bytes += file.part_bytes;
    }
  }
  return bytes;
}

}  // namespace

TabletFacts FactsOf(const TabletRecord& record) {
  const TabletSuspicion suspicion = record.suspicion.value_or(TabletSuspicion());
  return {record.table_id,     record.tablet_id,     record.tablet_epoch, StoredBytes(record.state),
          record.phase,        !record.logs.empty(), record.server,       record.range,
          suspicion.set_aside, suspicion.deaths};
}

Tablet* TabletMap::Find(const TabletKey& key) {
  auto found = all_.find(key);
  return found == all_.end() ? nullptr : &found->second;
}

Tablet* TabletMap::FindId(uint64_t tablet_id) {
  auto found = by_id_.find(tablet_id);
  return found == by_id_.end() ? nullptr : found->second;
}

Tablet* TabletMap::Put(const TabletFacts& facts) {
  Tablet& tablet = all_[facts.key()];
  if (tablet.facts.tablet_id != facts.tablet_id) {
    // A merge or a split has assigned the key to another tablet, so the old tablet's id must no
    // longer find this entry. If the old tablet already has another key, its id points to that
    // entry and stays.
    auto old = by_id_.find(tablet.facts.tablet_id);
    if (old != by_id_.end() && old->second == &tablet) by_id_.erase(old);
    by_id_[facts.tablet_id] = &tablet;
  }
  tablet.facts = facts;
  return &tablet;
}

void TabletMap::Erase(const TabletKey& key) {
  auto found = all_.find(key);
  if (found == all_.end()) return;
  auto by_id = by_id_.find(found->second.facts.tablet_id);
  if (by_id != by_id_.end() && by_id->second == &found->second) by_id_.erase(by_id);
  all_.erase(found);
}

Tablet* TabletMap::Next(const TabletKey& key) {
  auto found = all_.upper_bound(key);
  return found == all_.end() || found->first.table_id != key.table_id ? nullptr : &found->second;
}

Tablet* TabletMap::Previous(const TabletKey& key) {
  auto found = all_.lower_bound(key);
  if (found == all_.begin()) return nullptr;
  --found;
  return found->first.table_id != key.table_id ? nullptr : &found->second;
}

std::vector<Tablet*> TabletMap::OfTable(uint64_t table_id) {
  return Overlapping(table_id, RowRange::All());
}

std::vector<Tablet*> TabletMap::Overlapping(uint64_t table_id, const RowRange& rows) {
  std::vector<Tablet*> found;
  for (auto it = all_.upper_bound(TabletKey::Before(table_id, rows.start));
       it != all_.end() && it->first.table_id == table_id; ++it) {
    if (!rows.limit.empty() && it->second.facts.range.start >= rows.limit) break;
    found.push_back(&it->second);
  }
  return found;
}

std::vector<RowRange> TabletMap::HolesBeside(const TabletKey& key) {
  std::vector<RowRange> holes;
  const Tablet* tablet = Find(key);
  if (tablet == nullptr) return holes;
  const Tablet* previous = Previous(key);
  std::string covered = previous == nullptr ? "" : previous->facts.range.limit;
  if (tablet->facts.range.start > covered) holes.push_back({covered, tablet->facts.range.start});
  if (key.limit.empty()) return holes;
  const Tablet* next = Next(key);
  if (next == nullptr) {
    holes.push_back({key.limit, ""});
  } else if (next->facts.range.start > key.limit) {
    holes.push_back({key.limit, next->facts.range.start});
  }
  return holes;
}

std::vector<RowRange> TabletMap::HolesOf(uint64_t table_id) const {
  std::vector<RowRange> holes;
  std::string covered;  // rows below this key have a tablet
  bool ended = false;
  for (auto it = all_.upper_bound(TabletKey::Before(table_id, ""));
       it != all_.end() && it->first.table_id == table_id; ++it) {
    const RowRange& range = it->second.facts.range;
    if (range.start > covered) holes.push_back({covered, range.start});
    covered = range.limit;
    ended = range.limit.empty();
  }
  if (!ended) holes.push_back({covered, ""});
  return holes;
}

}  // namespace sippar::cluster::master
