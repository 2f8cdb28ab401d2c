// Finds the tablet of a row through three levels (paper section 5.1): the lock service's file with
// the root tablet's record, the root tablet, a METADATA tablet; all three are cached. A look-up
// takes 3 round trips with an empty cache, and 5 after the refused call if everything in the cache
// is stale; one more if the tablet's record is the first one of its METADATA tablet, because the
// METADATA tablet before it is read first. Each read of METADATA also brings the tablets that
// follow the row. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/tablet_record.h"
#include "cluster/api/transport.h"
#include "cluster/location/location_cache.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

struct LocatorOptions {
  Transport* transport = nullptr;                     // outlives the locator
  std::function<StatusOr<TabletRecord>()> read_root;  // reads the root tablet's record
  size_t tablets_max = 100'000;                       // most cached tablets; about 300 bytes each
  size_t neighbours = 16;                             // tablets read ahead with each look-up
};

class Locator {
 public:
  explicit Locator(LocatorOptions options)
      : options_(std::move(options)), cache_(options_.tablets_max) {}

  // The result may be stale. If the server refuses the call, call Invalidate and then Find again.
  // kNotFound: the table has no tablet for the row. kUnavailable or Cause::kNotServed: no server
  // serves the tablet, or its METADATA tablet, at the moment, or a split is half written.
  [[nodiscard]] StatusOr<LocationPtr> Find(uint64_t table_id, std::string_view row);
  // Finds the tablet with the rows directly below `limit` ("": the last rows), for scans in
  // descending order.
  [[nodiscard]] StatusOr<LocationPtr> FindBefore(uint64_t table_id, std::string_view limit);
  // The records of all tablets of the table in key order, from METADATA and not from the cache;
  // they tile the rows. kNotFound: the table has no tablets. kUnavailable or Cause::kNotServed:
  // METADATA is not served, or is read in the middle of a change.
  [[nodiscard]] StatusOr<std::vector<TabletRecord>> ReadAll(uint64_t table_id);
  // The tablet if it is cached; nullptr: a look-up would be needed.
  LocationPtr FindKnown(uint64_t table_id, std::string_view row) {
    engine::MutexLock lock(&mutex_);
    return cache_.Find(table_id, row);
  }
  void Invalidate(const TabletLocation& seen);

  // Number of reads of METADATA and of the lock service so far.
  uint64_t round_trips() const { return round_trips_.load(std::memory_order_relaxed); }

 private:
  // The tablet to find: the one with a row, or with the rows directly below a limit.
  struct Target {
    uint64_t table_id = 0;
    std::string key;  // the row or the limit
    bool before = false;
    bool IsIn(const engine::RowRange& range) const;
    engine::RowRange MetaRows() const;
  };
  StatusOr<LocationPtr> LookUp(const Target& target);
  StatusOr<LocationPtr> LookUpRoot();
  StatusOr<LocationPtr> ReadMetadata(const LocationPtr& metadata, const engine::RowRange& rows,
                                     const Target& target);
  Status ReadPart(const LocationPtr& metadata, const engine::RowRange& rows,
                  std::vector<TabletRecord>* records);
  LocationPtr Remember(const TabletRecord& record);

  const LocatorOptions options_;
  std::atomic<uint64_t> round_trips_{0};
  engine::Mutex mutex_;
  LocationCache cache_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
