// The tablets of all tables in key order, as the master keeps them: a million fit in a few hundred
// megabytes. Plain data with two ways to find an entry. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/api/tablet_record.h"

namespace sippar::cluster::master {

using engine::RowRange;

// A row of METADATA: a table's tablet by the end of its rows; "" is the end of the table.
struct TabletKey {
  uint64_t table_id = 0;
  std::string limit;

  bool operator==(const TabletKey&) const = default;
  bool operator<(const TabletKey& other) const {
    if (table_id != other.table_id) return table_id < other.table_id;
    if (limit.empty() || other.limit.empty()) return !limit.empty() && other.limit.empty();
    return limit < other.limit;
  }
  // Below every key of rows at or above `start`.
  static TabletKey Before(uint64_t table_id, const std::string& start) {
    return start.empty() ? TabletKey{table_id - 1, ""} : TabletKey{table_id, start};
  }
};

// A record as it was read.
struct RecordRef {
  uint64_t table_id = 0;
  RowRange range;
  uint64_t tablet_id = 0;
  uint64_t epoch = 0;
  TabletKey key() const { return {table_id, range.limit}; }
};

// What the master keeps of a TabletRecord.
struct TabletFacts {
  uint64_t table_id = 0;
  uint64_t tablet_id = 0;
  uint64_t tablet_epoch = 0;
  uint64_t stored_bytes = 0;
  TabletPhase phase = TabletPhase::kUnassigned;
  bool has_logs = false;
  ServerId server;
  RowRange range;

  TabletKey key() const { return {table_id, range.limit}; }
  RecordRef ref() const { return {table_id, range, tablet_id, tablet_epoch}; }
  bool operator==(const TabletFacts&) const = default;
};

TabletFacts FactsOf(const TabletRecord& record);

// What each report and round looks at comes first: a million of them are read from memory.
struct Tablet {
  uint64_t op = 0;          // the action awaited, 0: none
  uint64_t learned_op = 0;  // actions with lower numbers know less than this
  uint64_t held_by = 0;     // a merge that decides over it; not assigned meanwhile
  bool loaded = false;      // its server serves it at this epoch, as it said itself
  bool closed = false;      // its server has closed this epoch: METADATA may name another
  bool refused = false;     // its server could not load it: it is to close the epoch
  bool wants_close = false;
  uint32_t failures = 0;
  int64_t since_us = 0;        // at its place and in its shape, as far as this master has seen
  int64_t whole_until_us = 0;  // no row halved its load when it was asked last
  uint64_t memtable_bytes = 0;
  uint64_t calls_per_second = 0;
  uint64_t weight = 0;
  TabletFacts facts;
  ServerId target;  // where it goes next, when that is decided
  int64_t not_before_us = 0;
  ServerId refused_by;  // the last that could not load it
  std::string error;    // of the last failure, for people
};

class TabletMap {
 public:
  using Map = std::map<TabletKey, Tablet>;

  Tablet* Find(const TabletKey& key);
  Tablet* FindId(uint64_t tablet_id);
  // The tablet of `key`, new or known; its id is `facts.tablet_id` from now on.
  Tablet* Put(const TabletFacts& facts);
  void Erase(const TabletKey& key);
  // Neighbours in the table; nullptr at its ends.
  Tablet* Next(const TabletKey& key);
  Tablet* Previous(const TabletKey& key);

  bool HasTable(uint64_t table_id) const {
    auto first = all_.upper_bound(TabletKey::Before(table_id, ""));
    return first != all_.end() && first->first.table_id == table_id;
  }
  // Tablets of one table, or those with some of `rows`.
  std::vector<Tablet*> OfTable(uint64_t table_id);
  std::vector<Tablet*> Overlapping(uint64_t table_id, const RowRange& rows);
  // Rows that no tablet has: between the tablet and its neighbours, and in a whole table. Overlaps
  // are no holes: a split and a merge go through one.
  std::vector<RowRange> HolesBeside(const TabletKey& key);
  std::vector<RowRange> HolesOf(uint64_t table_id) const;

  const Map& all() const { return all_; }
  Map& all() { return all_; }
  size_t size() const { return all_.size(); }

 private:
  Map all_;
  std::unordered_map<uint64_t, Tablet*> by_id_;  // looked up, never walked
};

}  // namespace sippar::cluster::master
