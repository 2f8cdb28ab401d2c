// Admin handler. SPDX-License-Identifier: Apache-2.0
#include "cluster/master/admin_handler.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/api/group_sums.h"

namespace sippar::cluster {
namespace {

TableInfo InfoOf(const engine::CatalogTable& entry) {
  return {entry.schema, entry.table_id, entry.schema_version, entry.changed_at_us,
          entry.tablets.size()};
}

}  // namespace

StatusOr<TableInfo> AdminHandler::GetTable(const std::string& table) {
  ASSIGN_OR_RETURN(engine::CatalogTable entry, store_->GetTable(table));
  return InfoOf(entry);
}

StatusOr<std::vector<TableInfo>> AdminHandler::ListTables() {
  std::vector<TableInfo> infos;
  for (const engine::CatalogTable& entry : store_->ListTables()) infos.push_back(InfoOf(entry));
  return infos;
}

Status AdminHandler::Verify(const std::string& table) {
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store_->Tablets(table));
  for (const auto& tablet : tablets) RETURN_IF_ERROR(tablet->VerifyFiles());
  return OkStatus();
}

StatusOr<std::vector<GroupStats>> AdminHandler::Stats(const std::string& table) {
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store_->Tablets(table));
  GroupSums sums;
  for (const auto& tablet : tablets) {
    for (engine::TabletGroupStats& part : tablet->Stats()) {
      sums.Add({std::move(part.group), part.sstables, part.stored_bytes, part.raw_bytes,
                part.entries, part.rows, std::move(part.families), part.memtable_bytes});
    }
  }
  return sums.Take();
}

std::map<std::string, uint64_t> AdminHandler::Metrics() {
  std::map<std::string, uint64_t> metrics = store_->metrics()->Snapshot();
  engine::BlockCache::Stats cache = store_->host()->cache_stats();
  metrics["block_cache_hits"] = cache.hits;
  metrics["block_cache_misses"] = cache.misses;
  metrics["block_cache_bytes"] = cache.bytes;
  metrics["in_memory_bytes"] = cache.pinned_bytes;
  metrics["in_memory_refused"] = cache.pins_refused;
  for (const auto& [table, reads] : store_->TableReads()) {
    for (const engine::ReadCounterField& entry : engine::kReadCounterFields) {
      uint64_t value = reads.*entry.field;
      if (value > 0) metrics[fmt::format("table.{}.{}", table, entry.name)] = value;
    }
  }
  metrics["log_bytes_written"] = store_->host()->log_bytes();
  metrics["memtable_bytes"] = static_cast<uint64_t>(store_->host()->memtable_bytes());
  metrics["group_runs_max"] = store_->host()->most_runs();
  return metrics;
}

std::vector<CompactionInfo> AdminHandler::Compactions() {
  std::vector<CompactionInfo> all;
  for (engine::CompactionRecord& record : store_->host()->Compactions()) {
    all.push_back({std::move(record.table), record.tablet_id, std::move(record.group),
                   engine::CompactionKindName(record.kind), std::move(record.reason), record.inputs,
                   record.bytes_in, record.bytes_out, record.started_us, record.duration_us,
                   std::move(record.status)});
  }
  return all;
}

StatusOr<std::string> AdminHandler::DumpTablets(const std::string& table) {
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store_->Tablets(table));
  std::string text;
  for (const auto& tablet : tablets) text += tablet->Dump();
  return text;
}

}  // namespace sippar::cluster
