// Which tablets a server serves, at which epochs, and which epochs are over for it: the bookkeeping
// behind "the same call again finds its work done" and "a load that was delayed on its way is
// refused" (cluster/api/control_api.h; FAULTS.md N4, N8, N9). No I/O.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "cluster/api/tablet_service.h"
#include "cluster/tabletserver/load_sample.h"
#include "engine/base/thread.h"
#include "engine/tablet/tablet.h"

namespace sippar::cluster {

// One tablet under one epoch.
struct Served {
  Served(std::shared_ptr<engine::Tablet> served_tablet, uint64_t table, uint64_t epoch,
         uint64_t schema)
      : tablet(std::move(served_tablet)),
        table_id(table),
        tablet_epoch(epoch),
        schema_version(schema) {}

  const std::shared_ptr<engine::Tablet> tablet;
  const uint64_t table_id;
  const uint64_t tablet_epoch;
  // False before anybody else can serve its rows. A read looks after its snapshot: what it saw
  // before was the newest.
  std::atomic<bool> open{true};
  std::atomic<uint64_t> schema_version;
  std::atomic<uint64_t> reads{0};  // since the last report
  std::atomic<uint64_t> writes{0};
  LoadSample sample;
};

using ChildIds = std::array<uint64_t, 2>;  // of a split

// Thread safe. Begin* OK: nobody else changes the tablet until End*; kUnavailable: somebody does.
class ServedSet {
 public:
  // kOutOfRange: not served, or at another epoch.
  [[nodiscard]] StatusOr<std::shared_ptr<Served>> Find(const TabletAddress& address) const;
  std::shared_ptr<Served> FindId(uint64_t tablet_id) const;  // nullptr: not served
  std::vector<std::shared_ptr<Served>> All() const;          // in order of id
  bool AnyBusy() const;

  // Of a table whose schema has this version now: loads that bring an older one are refused from
  // here on. kUnavailable: a tablet of it is coming, going or being split.
  [[nodiscard]] StatusOr<std::vector<std::shared_ptr<Served>>> OfTable(uint64_t table_id,
                                                                       uint64_t schema_version);

  // kAlreadyExists: served at this epoch. kFailedPrecondition: at another, or this one is over.
  [[nodiscard]] Status BeginLoad(const TabletAddress& address, uint64_t table_id,
                                 uint64_t schema_version);
  // `served` nullptr: it failed; `over`: and may not be tried again at this epoch.
  void EndLoad(const TabletAddress& address, std::shared_ptr<Served> served, bool over);
  // kNotFound: not served, and never again at this epoch. kFailedPrecondition: at a higher one.
  [[nodiscard]] StatusOr<std::shared_ptr<Served>> BeginUnload(const TabletAddress& address);
  void EndUnload(const TabletAddress& address, bool gone);
  // kNotFound: not served any more.
  [[nodiscard]] Status BeginSchemaChange(const Served& tablet);
  void EndSchemaChange(const Served& tablet);
  // Likewise. METADATA names the children before they are here: until then nobody else loads or
  // unloads them.
  [[nodiscard]] Status BeginSplit(const Served& parent, const ChildIds& ids);
  void EndSplit(const Served& parent, const ChildIds& ids,
                const std::vector<std::shared_ptr<Served>>& children);

 private:
  Status CheckIdle(uint64_t tablet_id) const REQUIRES(mutex_);
  Status Take(const Served& tablet) REQUIRES(mutex_);
  void Close(const TabletAddress& address) REQUIRES(mutex_);

  mutable engine::Mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Served>> served_ GUARDED_BY(mutex_);
  std::map<uint64_t, uint64_t> busy_ GUARDED_BY(mutex_);  // with their tables
  std::map<uint64_t, uint64_t> schemas_
      GUARDED_BY(mutex_);  // versions, of tables that were altered
  // Highest epoch that is over, of each tablet that was here. Grows with the moves of one life.
  std::map<uint64_t, uint64_t> closed_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
