// Finds the tablet of a row through the three levels (paper section 5.1): lock-service file -> root
// tablet -> METADATA tablet, with a cache of all three. At most 3 round trips when the cache is
// empty; when all of it is stale 5, after the call that found out. Each read of METADATA brings the
// neighbours behind the row along. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "cluster/api/tablet_record.h"
#include "cluster/api/transport.h"
#include "cluster/location/location_cache.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

struct LocatorOptions {
  Transport* transport = nullptr;                     // outlives the locator
  std::function<StatusOr<TabletRecord>()> read_root;  // the root tablet's record
  size_t tablets_max = 100'000;                       // about 300 bytes each
  size_t neighbours = 16;                             // prefetched
};

class Locator {
 public:
  explicit Locator(LocatorOptions options)
      : options_(std::move(options)), cache_(options_.tablets_max) {}

  // Perhaps stale; the server says so, Invalidate and ask again. kNotFound: the table has no such
  // tablet. kUnavailable: nobody serves it, or METADATA's, at the moment.
  [[nodiscard]] StatusOr<LocationPtr> Find(uint64_t table_id, std::string_view row);
  // Of the rows right below `limit` ("": the last ones), for scans downwards.
  [[nodiscard]] StatusOr<LocationPtr> FindBefore(uint64_t table_id, std::string_view limit);
  // null: it would have to be looked up.
  LocationPtr FindKnown(uint64_t table_id, std::string_view row) {
    engine::MutexLock lock(&mutex_);
    return cache_.Find(table_id, row);
  }
  void Invalidate(const TabletLocation& seen);

  // Reads of METADATA and of the lock service so far.
  uint64_t round_trips() const { return round_trips_.load(std::memory_order_relaxed); }

 private:
  // One tablet that is looked for: that has a row, or the rows right below a limit.
  struct Target {
    uint64_t table_id = 0;
    std::string key;  // row or limit
    bool before = false;
    bool IsIn(const engine::RowRange& range) const;
    engine::RowRange MetaRows() const;
  };
  StatusOr<LocationPtr> LookUp(const Target& target);
  StatusOr<LocationPtr> LookUpRoot();
  StatusOr<LocationPtr> ReadMetadata(const LocationPtr& metadata, const engine::RowRange& rows,
                                     const Target& target);
  LocationPtr Remember(const TabletRecord& record);

  const LocatorOptions options_;
  std::atomic<uint64_t> round_trips_{0};
  engine::Mutex mutex_;
  LocationCache cache_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
