// Applies the data calls to the model.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/bigtable/api_model.h"

#include <fmt/format.h>

#include "engine/base/coding.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;

}  // namespace

void ApiModel::Collect(const std::string& family, Versions* versions) const {
  size_t kept = versions_.at(family);
  while (kept != 0 && versions->size() > kept) versions->erase(std::prev(versions->end()));
}

bool ApiModel::MutateColumns(const v2::Mutation& mutation, Columns* columns) const {
  if (mutation.has_set_cell()) {
    const v2::Mutation::SetCell& set = mutation.set_cell();
    if (!versions_.contains(set.family_name())) return false;
    Versions& versions = (*columns)[{set.family_name(), set.column_qualifier()}];
    versions[set.timestamp_micros()] = set.value();
    Collect(set.family_name(), &versions);
  } else if (mutation.has_delete_from_column()) {
    const v2::Mutation::DeleteFromColumn& del = mutation.delete_from_column();
    if (!versions_.contains(del.family_name())) return false;
    int64_t start = del.time_range().start_timestamp_micros();
    int64_t end = del.time_range().end_timestamp_micros();
    auto column = columns->find({del.family_name(), del.column_qualifier()});
    if (column == columns->end()) return true;
    std::erase_if(column->second, [&](const auto& version) {
      return version.first >= start && (end == 0 || version.first < end);
    });
  } else if (mutation.has_delete_from_family()) {
    const std::string& family = mutation.delete_from_family().family_name();
    if (!versions_.contains(family)) return false;
    std::erase_if(*columns, [&](const auto& column) { return column.first.first == family; });
  } else {
    columns->clear();
  }
  return true;
}

void ApiModel::Put(const std::string& row, Columns columns) {
  std::erase_if(columns, [](const auto& column) { return column.second.empty(); });
  if (columns.empty()) {
    rows_.erase(row);
  } else {
    rows_[row] = std::move(columns);
  }
}

bool ApiModel::Mutate(const std::string& row, const Mutations& mutations) {
  auto found = rows_.find(row);
  Columns columns = found == rows_.end() ? Columns() : found->second;
  for (const v2::Mutation& mutation : mutations) {
    if (!MutateColumns(mutation, &columns)) return false;
  }
  Put(row, std::move(columns));
  return true;
}

bool ApiModel::Matches(const std::string& row, const engine::RowFilter& predicate,
                       bool* is_open) const {
  return !RunFilterModel(predicate, Row(row), is_open).empty();
}

bool ApiModel::ModifyColumns(const v2::ReadModifyWriteRule& rule, int64_t now_us,
                             Columns* columns) const {
  Versions& versions = (*columns)[{rule.family_name(), rule.column_qualifier()}];
  std::string value = versions.empty() ? "" : versions.begin()->second;
  int64_t time_us = versions.empty() ? now_us : std::max(now_us, versions.begin()->first);
  if (rule.has_append_value()) {
    value += rule.append_value();
  } else {
    if (!value.empty() && value.size() != 8) return false;
    if (value.empty() && !versions.empty()) return false;
    uint64_t before = value.empty() ? 0 : engine::GetBig64(value.data());
    value.clear();
    engine::PutBig64(&value, before + static_cast<uint64_t>(rule.increment_amount()));
  }
  versions[time_us] = value;
  Collect(rule.family_name(), &versions);
  return true;
}

bool ApiModel::Modify(const v2::ReadModifyWriteRowRequest& request, int64_t now_us,
                      std::string* out) {
  auto found = rows_.find(request.row_key());
  Columns columns = found == rows_.end() ? Columns() : found->second;
  std::map<std::pair<std::string, std::string>, int> touched;
  for (const v2::ReadModifyWriteRule& rule : request.rules()) {
    if (!ModifyColumns(rule, now_us, &columns)) return false;
    touched[{rule.family_name(), rule.column_qualifier()}] = 1;
  }
  for (const auto& [column, unused] : touched) {
    const auto& [time_us, value] = *columns[column].begin();
    *out += fmt::format("{}:{}@{}={}\n", column.first, engine::PrintableBytes(column.second),
                        time_us, engine::PrintableBytes(value));
  }
  Put(request.row_key(), std::move(columns));
  return true;
}

void ApiModel::DropRows(const std::string& prefix) {
  std::erase_if(rows_, [&](const auto& row) { return row.first.starts_with(prefix); });
}

std::vector<std::string> ApiModel::RowNames() const {
  std::vector<std::string> names;
  for (const auto& [name, columns] : rows_) names.push_back(name);
  return names;
}

std::vector<engine::Cell> ApiModel::Row(const std::string& row) const {
  std::vector<engine::Cell> cells;
  auto found = rows_.find(row);
  if (found == rows_.end()) return cells;
  for (const auto& [column, versions] : found->second) {
    for (const auto& [time_us, value] : versions) {
      engine::Cell& cell = cells.emplace_back();
      cell.row = row;
      cell.family = column.first;
      cell.qualifier = column.second;
      cell.timestamp_us = time_us;
      cell.value = value;
    }
  }
  return cells;
}

std::string PrintRow(const std::string& row, std::vector<engine::ModelCell> cells) {
  uint64_t position = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    const engine::Cell& cell = cells[i].cell;
    const engine::Cell& before = cells[i == 0 ? 0 : i - 1].cell;
    bool is_copy = cell.family == before.family && cell.qualifier == before.qualifier &&
                   cell.timestamp_us == before.timestamp_us;
    if (!is_copy) ++position;
    cells[i].position = position;
  }
  return engine::PrintableBytes(row) + "\n" + engine::PrintModelCells(std::move(cells));
}

}  // namespace sippar::cluster
