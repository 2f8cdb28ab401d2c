// A client's cache of which server serves which tablet (paper section 5.1). Pure. Entries may be
// stale, which is harmless: a server refuses a call for a tablet epoch that it does not serve. Not
// thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/api/server_id.h"
#include "cluster/api/tablet_service.h"
#include "engine/model/row_set.h"

namespace sippar::cluster {

struct TabletLocation {
  uint64_t table_id = 0;
  engine::RowRange range;
  TabletAddress address;
  ServerId server;
  std::shared_ptr<TabletService> service;  // service of `server`
};
using LocationPtr = std::shared_ptr<const TabletLocation>;

class LocationCache {
 public:
  explicit LocationCache(size_t capacity) : capacity_(capacity) {}

  // nullptr: not known. Allocates nothing; only takes a reference.
  LocationPtr Find(uint64_t table_id, std::string_view row) const;
  // The tablet with the rows directly below `limit` ("": with the last rows of the table).
  LocationPtr FindBefore(uint64_t table_id, std::string_view limit) const;
  // Adds a location and removes all entries that overlap it. Above the capacity, evicts entries in
  // key order.
  void Insert(LocationPtr location);
  // Removes `seen`, unless a newer entry has replaced it.
  void Invalidate(const TabletLocation& seen);
  size_t size() const { return tablets_.size(); }

 private:
  struct Key {
    uint64_t table_id = 0;
    std::string limit;  // "" sorts after all other limits
  };
  struct Row {
    uint64_t table_id = 0;
    std::string_view row;
  };
  struct Limit {
    uint64_t table_id = 0;
    std::string_view limit;
  };
  struct Before {
    using is_transparent = void;
    bool operator()(const Key& a, const Key& b) const;
    // True if the limit of `b` is above the row of `a`, that is, `b` can contain the row.
    bool operator()(const Row& a, const Key& b) const;
    // True if the limit of `a` is below the limit of `b`.
    bool operator()(const Key& a, const Limit& b) const;
  };
  using Tablets = std::map<Key, LocationPtr, Before>;

  const size_t capacity_;
  Tablets tablets_;
  Key hand_;  // key of the last evicted entry; the next one to evict follows it
};

}  // namespace sippar::cluster
