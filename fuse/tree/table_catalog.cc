// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/table_catalog.h"

#include <fmt/format.h>

#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {

Status TableCatalog::Refresh(int64_t age_ns_max, const cluster::CallOptions& call) {
  int64_t now_ns = clock_->MonotonicNanos();
  {
    // The lock is released before the call, which may be remote and slow. Two threads may then both
    // refresh the list, which is harmless.
    engine::MutexLock lock(&mutex_);
    if (is_loaded_ && now_ns - loaded_at_ns_ < age_ns_max) return OkStatus();
  }
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> infos,
                   admin_->Do(cluster::calls::ListTables{}, call));
  std::vector<TablePtr> tables;
  for (cluster::TableInfo& info : infos) {
    tables.push_back(std::make_shared<const cluster::TableInfo>(std::move(info)));
  }
  engine::MutexLock lock(&mutex_);
  tables_ = std::move(tables);
  loaded_at_ns_ = now_ns;
  is_loaded_ = true;
  return OkStatus();
}

StatusOr<std::vector<TablePtr>> TableCatalog::List(const cluster::CallOptions& call) {
  RETURN_IF_ERROR(Refresh(0, call));
  engine::MutexLock lock(&mutex_);
  return tables_;
}

StatusOr<TablePtr> TableCatalog::FindName(std::string_view name) {
  // If the cached list lacks the name, the current list is read: a missing name is never cached, so
  // a new table appears at once.
  for (int64_t age_ns_max : {freshness_ns_, int64_t{0}}) {
    RETURN_IF_ERROR(Refresh(age_ns_max));
    engine::MutexLock lock(&mutex_);
    for (const TablePtr& table : tables_) {
      if (table->schema.name == name) return table;
    }
  }
  return NotFound(fmt::format("table {} not found", name));
}

TablePtr TableCatalog::FindKept(uint64_t table_id) {
  engine::MutexLock lock(&mutex_);
  for (const TablePtr& table : tables_) {
    if (table->table_id == table_id) return table;
  }
  return nullptr;
}

StatusOr<TablePtr> TableCatalog::FindId(uint64_t table_id) {
  RETURN_IF_ERROR(Refresh(freshness_ns_));
  if (TablePtr table = FindKept(table_id); table != nullptr) return table;
  return NotFound(fmt::format("the table with id {} was dropped", table_id));
}

StatusOr<TablePtr> TableCatalog::FindIdNow(uint64_t table_id) {
  RETURN_IF_ERROR(Refresh(0));
  return FindId(table_id);
}

}  // namespace sippar::fuse
