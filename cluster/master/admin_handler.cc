// Admin handler. SPDX-License-Identifier: Apache-2.0
#include "cluster/master/admin_handler.h"

#include "cluster/api/group_sums.h"
#include "cluster/api/host_figures.h"

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
    for (const GroupStats& part : tablet->Stats()) sums.Add(part);
  }
  return sums.Take();
}

std::map<std::string, uint64_t> AdminHandler::Metrics() { return MetricsOf(store_->host()); }

std::vector<CompactionInfo> AdminHandler::Compactions() { return CompactionsOf(*store_->host()); }

StatusOr<std::string> AdminHandler::DumpTablets(const std::string& table) {
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store_->Tablets(table));
  std::string text;
  for (const auto& tablet : tablets) text += tablet->Dump();
  return text;
}

}  // namespace sippar::cluster
