// The tablets of all tables in key order, as the master remembers them. A million tablets need a
// few hundred megabytes. Plain data without locks; tablets are found by key or by tablet id.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/api/tablet_record.h"

namespace sippar::cluster::master {

using engine::RowRange;

// Key of a tablet's row in METADATA: its table and the end of its rows. An empty limit means the
// end of the table and sorts last.
struct TabletKey {
  uint64_t table_id = 0;
  std::string limit;

  bool operator==(const TabletKey&) const = default;
  bool operator<(const TabletKey& other) const {
    if (table_id != other.table_id) return table_id < other.table_id;
    if (limit.empty() || other.limit.empty()) return !limit.empty() && other.limit.empty();
    return limit < other.limit;
  }
  // Returns a key below the keys of all tablets with rows at or above `start`.
  static TabletKey Before(uint64_t table_id, const std::string& start) {
    return start.empty() ? TabletKey{table_id - 1, ""} : TabletKey{table_id, start};
  }
};

// Names one version of a record: an action is carried out only if METADATA still has this version.
struct RecordRef {
  uint64_t table_id = 0;
  RowRange range;
  uint64_t tablet_id = 0;
  uint64_t epoch = 0;
  TabletKey key() const { return {table_id, range.limit}; }
};

// The part of a TabletRecord that the master remembers.
struct TabletFacts {
  uint64_t table_id = 0;
  uint64_t tablet_id = 0;
  uint64_t tablet_epoch = 0;
  uint64_t stored_bytes = 0;
  TabletPhase phase = TabletPhase::kUnassigned;
  bool has_logs = false;
  ServerId server;
  RowRange range;
  // The next two fields are those of TabletRecord::suspicion.
  bool set_aside = false;
  std::vector<ServerDeath> deaths = {};

  TabletKey key() const { return {table_id, range.limit}; }
  RecordRef ref() const { return {table_id, range, tablet_id, tablet_epoch}; }
  bool operator==(const TabletFacts&) const = default;
};

TabletFacts FactsOf(const TabletRecord& record);

// Reports and balance rounds walk a million of these, so the fields that they read come first and
// share cache lines.
struct Tablet {
  uint64_t op = 0;          // number of the action in flight, 0: none
  uint64_t learned_op = 0;  // answers to actions with lower numbers are older than `facts`
  // Id of the merge that holds the tablet; 0: none. While it is held, the master does not assign
  // it to a new server.
  uint64_t held_by = 0;
  bool loaded = false;   // its server has said that it serves the tablet at this epoch
  bool closed = false;   // its server has closed this epoch, so another server may get the tablet
  bool refused = false;  // its server failed to load it, and must now close the epoch
  // True: a merge needs the tablet unloaded.
  bool wants_close = false;
  uint32_t failures = 0;
  int64_t since_us = 0;     // when this master first saw this epoch of the tablet
  int64_t unserved_us = 0;  // time since which no known server has served the tablet; 0: loaded
  // Time before which the tablet is not split by load, because the last attempt may have found no
  // row to split at.
  int64_t whole_until_us = 0;
  uint64_t memtable_bytes = 0;
  uint64_t calls_per_second = 0;
  uint64_t weight = 0;
  TabletFacts facts;
  ServerId target;  // server to which the tablet is to go, if one has been chosen
  int64_t not_before_us = 0;
  ServerId refused_by;      // server that last failed to load it
  std::string error;        // last failure, for administrators
  bool wants_back = false;  // an administrator requested that servers may load it again
};

class TabletMap {
 public:
  using Map = std::map<TabletKey, Tablet>;

  Tablet* Find(const TabletKey& key);
  Tablet* FindId(uint64_t tablet_id);
  // Adds the tablet with the key of `facts`, or updates it; FindId then finds it by
  // `facts.tablet_id`.
  Tablet* Put(const TabletFacts& facts);
  void Erase(const TabletKey& key);
  // Return the neighbours within the table; nullptr at its ends.
  Tablet* Next(const TabletKey& key);
  Tablet* Previous(const TabletKey& key);

  bool HasTable(uint64_t table_id) const {
    auto first = all_.upper_bound(TabletKey::Before(table_id, ""));
    return first != all_.end() && first->first.table_id == table_id;
  }
  // Return all tablets of a table, or those with at least one of `rows`.
  std::vector<Tablet*> OfTable(uint64_t table_id);
  std::vector<Tablet*> Overlapping(uint64_t table_id, const RowRange& rows);
  // Return the ranges of rows that no tablet has: next to the tablet of `key`, or in a whole table.
  // Overlaps are not reported, because records overlap for a moment during every split and merge.
  std::vector<RowRange> HolesBeside(const TabletKey& key);
  std::vector<RowRange> HolesOf(uint64_t table_id) const;

  const Map& all() const { return all_; }
  Map& all() { return all_; }
  size_t size() const { return all_.size(); }

 private:
  Map all_;
  // This map is never iterated, so its order cannot influence decisions.
  std::unordered_map<uint64_t, Tablet*> by_id_;
};

}  // namespace sippar::cluster::master
