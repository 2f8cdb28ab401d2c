// The tablets that a server serves, with their epochs, and the epochs that have ended here. With
// them, the server recognizes a repeated call whose work is done, and refuses a delayed load
// (cluster/api/control_api.h; tests/FAULTS.md N4, N8, N9). No I/O.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/tablet_service.h"
#include "cluster/tabletserver/load_sample.h"
#include "engine/base/thread.h"
#include "engine/tablet/tablet.h"

namespace sippar::cluster {

// One tablet at one epoch.
struct Served {
  Served(std::shared_ptr<engine::Tablet> served_tablet, uint64_t table, uint64_t epoch,
         uint64_t schema)
      : tablet(std::move(served_tablet)),
        table_id(table),
        tablet_epoch(epoch),
        schema_version(schema),
        table_name(tablet->schema()->name) {}

  const std::shared_ptr<engine::Tablet> tablet;
  const uint64_t table_id;
  const uint64_t tablet_epoch;
  // Set to false before another server can serve the rows. A read checks this field after it has
  // taken its snapshot: if the field is still true, the snapshot was the newest.
  std::atomic<bool> open{true};
  std::atomic<uint64_t> schema_version;
  const std::string table_name;
  // Numbers of reads and writes since the last report.
  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> writes{0};
  LoadSample sample;
};

using ChildIds = std::array<uint64_t, 2>;  // ids of the two children of a split

// Thread safe. After a Begin function returns OK, only the caller may change the tablet until it
// calls the End function; kUnavailable: another call is changing the tablet.
class ServedSet {
 public:
  // NotServed: the tablet is not served at this epoch.
  [[nodiscard]] StatusOr<std::shared_ptr<Served>> Find(const TabletAddress& address) const;
  std::shared_ptr<Served> FindId(uint64_t tablet_id) const;  // nullptr: the tablet is not served
  std::vector<std::shared_ptr<Served>> All() const;          // all tablets, sorted by id
  // True while a tablet is being loaded, unloaded, altered or split.
  bool AnyBusy() const;

  // Returns the tablets of a table whose schema now has this version; from now on, loads with an
  // older schema are refused. kUnavailable: a tablet of the table is being loaded, unloaded,
  // altered or split.
  [[nodiscard]] StatusOr<std::vector<std::shared_ptr<Served>>> OfTable(uint64_t table_id,
                                                                       uint64_t schema_version);

  // kAlreadyExists: the tablet is served at this epoch. kFailedPrecondition: it is served at
  // another epoch, or this epoch has ended. kUnavailable: another call is changing it, or the
  // schema is older than the table's.
  [[nodiscard]] Status BeginLoad(const TabletAddress& address, uint64_t table_id,
                                 uint64_t schema_version);
  // `served` is nullptr if the load failed. `over`: true if this epoch must not be loaded again.
  void EndLoad(const TabletAddress& address, std::shared_ptr<Served> served, bool over);
  // kNotFound: the tablet is not served, and from now on never will be at this epoch.
  // kFailedPrecondition: it is served at a higher epoch.
  [[nodiscard]] StatusOr<std::shared_ptr<Served>> BeginUnload(const TabletAddress& address);
  void EndUnload(const TabletAddress& address, bool gone);
  // kNotFound: the tablet is no longer served.
  [[nodiscard]] Status BeginSchemaChange(const Served& tablet);
  void EndSchemaChange(const Served& tablet);
  // Errors are those of BeginSchemaChange. Makes the children's ids busy, too: METADATA names the
  // children before they are served here, and no other call may load or unload them until then.
  [[nodiscard]] Status BeginSplit(const Served& parent, const ChildIds& ids);
  void EndSplit(const Served& parent, const ChildIds& ids,
                const std::vector<std::shared_ptr<Served>>& children);

 private:
  Status CheckIdle(uint64_t tablet_id) const REQUIRES(mutex_);
  Status Take(const Served& tablet) REQUIRES(mutex_);
  void Close(const TabletAddress& address) REQUIRES(mutex_);

  mutable engine::Mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Served>> served_ GUARDED_BY(mutex_);
  std::map<uint64_t, uint64_t> busy_ GUARDED_BY(mutex_);  // table ids of busy tablets, by tablet id
  // Newest schema versions of the tables that were altered, by table.
  std::map<uint64_t, uint64_t> schemas_ GUARDED_BY(mutex_);
  // For each tablet, even one that was never served here, the highest epoch that has ended here.
  // Entries are kept until the process ends.
  std::map<uint64_t, uint64_t> closed_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
