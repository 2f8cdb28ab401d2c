// Where tablets are, as far as a client knows (paper section 5.1). Pure; entries may be stale: the
// servers refuse by epoch. Not thread safe. SPDX-License-Identifier: Apache-2.0
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
  std::shared_ptr<TabletService> service;  // of `server`
};
using LocationPtr = std::shared_ptr<const TabletLocation>;

class LocationCache {
 public:
  explicit LocationCache(size_t capacity) : capacity_(capacity) {}

  // nullptr: not known. No allocation but the reference.
  LocationPtr Find(uint64_t table_id, std::string_view row) const;
  // The one that has the rows right below `limit` ("": the last ones).
  LocationPtr FindBefore(uint64_t table_id, std::string_view limit) const;
  // Takes the place of all it overlaps; others go when there are too many, in order of key.
  void Insert(LocationPtr location);
  // Forgets the tablet at this epoch; a newer entry in its place stays.
  void Invalidate(const TabletLocation& seen);
  size_t size() const { return tablets_.size(); }

 private:
  struct Key {
    uint64_t table_id = 0;
    std::string limit;  // "" behind all others
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
    bool operator()(const Row& a, const Key& b) const;    // its limit is behind the row
    bool operator()(const Key& a, const Limit& b) const;  // its limit is before this one
  };
  using Tablets = std::map<Key, LocationPtr, Before>;

  const size_t capacity_;
  Tablets tablets_;
  Key hand_;  // where the next one goes
};

}  // namespace sippar::cluster
