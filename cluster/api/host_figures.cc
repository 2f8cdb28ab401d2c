// SPDX-License-Identifier: Apache-2.0
#include "cluster/api/host_figures.h"

#include <fmt/format.h>

#include <utility>

namespace sippar::cluster {

std::map<std::string, uint64_t> MetricsOf(engine::TabletHost* host) {
  std::map<std::string, uint64_t> metrics = host->metrics()->Snapshot();
  engine::BlockCache::Stats cache = host->cache_stats();
  metrics["block_cache_hits"] = cache.hits;
  metrics["block_cache_misses"] = cache.misses;
  metrics["block_cache_bytes"] = cache.bytes;
  metrics["in_memory_bytes"] = cache.pinned_bytes;
  metrics["in_memory_refused"] = cache.pins_refused;
  for (const auto& [table, reads] : host->TableReads()) {
    for (const engine::ReadCounterField& entry : engine::kReadCounterFields) {
      // Counters that are 0 are left out: each table has all of them, and most stay 0.
      uint64_t value = reads.*entry.field;
      if (value > 0) metrics[fmt::format("table.{}.{}", table, entry.name)] = value;
    }
  }
  metrics["log_bytes_written"] = host->log_bytes();
  metrics["memtable_bytes"] = static_cast<uint64_t>(host->memtable_bytes());
  metrics["group_runs_max"] = host->most_runs();
  return metrics;
}

std::vector<CompactionInfo> CompactionsOf(const engine::TabletHost& host) {
  std::vector<CompactionInfo> all;
  for (engine::CompactionRecord& record : host.Compactions()) {
    all.push_back({std::move(record.table), record.tablet_id, std::move(record.group),
                   engine::CompactionKindName(record.kind), std::move(record.reason), record.inputs,
                   record.bytes_in, record.bytes_out, record.started_us, record.duration_us,
                   std::move(record.status)});
  }
  return all;
}

}  // namespace sippar::cluster
