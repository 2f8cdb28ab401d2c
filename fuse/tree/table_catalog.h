// TableCatalog: the tables by name and by id. Schemas may be as old as the freshness, so that most
// lookups make no administrative call. Used by fuse/directories and fuse/tree. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::fuse {

using TablePtr = std::shared_ptr<const cluster::TableInfo>;

class TableCatalog {
 public:
  TableCatalog(cluster::AdminApi* admin, engine::Clock* clock, int64_t freshness_us)
      : admin_(admin), clock_(clock), freshness_ns_(freshness_us * 1000) {}

  // Reads the current list; sorted by name.
  [[nodiscard]] StatusOr<std::vector<TablePtr>> List(const cluster::CallOptions& call = {});
  // FindName and FindId: kNotFound if the table does not exist or was dropped.
  [[nodiscard]] StatusOr<TablePtr> FindName(std::string_view name);
  [[nodiscard]] StatusOr<TablePtr> FindId(uint64_t table_id);
  // Like FindId, but reads the current schema.
  [[nodiscard]] StatusOr<TablePtr> FindIdNow(uint64_t table_id);

 private:
  Status Refresh(int64_t age_ns_max, const cluster::CallOptions& call = {}) EXCLUDES(mutex_);
  TablePtr FindKept(uint64_t table_id) EXCLUDES(mutex_);

  cluster::AdminApi* const admin_;
  engine::Clock* const clock_;
  const int64_t freshness_ns_;
  engine::Mutex mutex_;
  std::vector<TablePtr> tables_ GUARDED_BY(mutex_);
  int64_t loaded_at_ns_ GUARDED_BY(mutex_) = 0;
  bool is_loaded_ GUARDED_BY(mutex_) = false;
};

}  // namespace sippar::fuse
