// SPDX-License-Identifier: Apache-2.0
#include "fuse/directories/usage.h"

#include <vector>

namespace sippar::fuse {

StatusOr<Usage> UsageReader::Read() {
  int64_t now_ns = context_->clock->MonotonicNanos();
  {
    engine::MutexLock lock(&mutex_);
    if (is_read_ && now_ns - read_at_ns_ < context_->freshness_us * 1000) return usage_;
  }
  ASSIGN_OR_RETURN(std::vector<TablePtr> tables, context_->tables.List());
  Usage usage;
  for (const TablePtr& table : tables) {
    auto groups = context_->client->admin()->Do(cluster::calls::Stats{table->schema.name});
    if (!groups.ok()) {
      // A table that was dropped after it was listed is left out. If any other table
      // were left out, df would show too little and nobody would know.
      auto now = context_->tables.FindIdNow(table->table_id);
      if (now.status().code() == StatusCode::kNotFound) continue;
      return groups.status();
    }
    for (const cluster::GroupStats& group : *groups) {
      usage.stored_bytes += group.stored_bytes + group.memtable_bytes;
      usage.entries += group.entries;
    }
  }
  engine::MutexLock lock(&mutex_);
  usage_ = usage;
  read_at_ns_ = now_ns;
  is_read_ = true;
  return usage;
}

}  // namespace sippar::fuse
