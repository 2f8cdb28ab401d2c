// Applies mutations to the oracle and reads from it.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/aggregate_cell.h"

namespace sippar::engine {
namespace {

std::string Escaped(std::string_view bytes) {
  std::string text;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f) {
      text.push_back(c);
    } else {
      text += fmt::format("\\x{:02x}", byte);
    }
  }
  return text;
}

}  // namespace

void ReferenceTable::Collect(const std::string& family, Versions* versions, int64_t now_us) const {
  const GcPolicy& policy = schema_.FindFamily(family)->gc;
  uint64_t rank = 0;
  for (auto version = versions->begin(); version != versions->end();) {
    version = policy.MayDrop(++rank, version->first, now_us) ? versions->erase(version)
                                                             : std::next(version);
  }
}

void ReferenceTable::ApplyEntry(const MutationEntry& entry, Columns* row, int64_t now_us) {
  Versions& versions = (*row)[{entry.family, entry.qualifier}];
  switch (entry.kind) {
    case MutationEntry::kSet:
      versions[entry.timestamp_us] = entry.value;
      break;
    case MutationEntry::kDeleteColumn:
      std::erase_if(versions, [&](const auto& v) { return entry.time.Contains(v.first); });
      break;
    case MutationEntry::kDeleteFamily:
      std::erase_if(*row, [&](const auto& c) { return c.first.first == entry.family; });
      return;
    case MutationEntry::kDeleteRow:
      row->clear();
      return;
    case MutationEntry::kIncrement: {
      int64_t old = versions.empty() ? 0 : *DecodeInt64(versions.begin()->second);
      versions[entry.timestamp_us] = EncodeInt64(
          static_cast<int64_t>(static_cast<uint64_t>(old) + static_cast<uint64_t>(entry.delta)));
      break;
    }
    case MutationEntry::kAppend: {
      std::string old = versions.empty() ? "" : versions.begin()->second;
      versions[entry.timestamp_us] = old + entry.value;
      break;
    }
    case MutationEntry::kAdd:
    case MutationEntry::kMerge: {
      Status added =
          AddToState(schema_.FindFamily(entry.family)->type, entry, &versions[entry.timestamp_us]);
      if (!added.ok()) versions.erase(entry.timestamp_us);
      break;
    }
  }
  Collect(entry.family, &versions, now_us);
}

void ReferenceTable::Apply(const RowMutation& mutation, int64_t now_us) {
  Columns& row = rows_[mutation.row];
  for (auto& [column, versions] : row) Collect(column.first, &versions, now_us);
  for (const MutationEntry& entry : mutation.entries) ApplyEntry(entry, &row, now_us);
}

std::vector<Cell> ReferenceTable::Read(const ReadSpec& read, int64_t now_us) const {
  std::unique_ptr<ColumnMatcher> matcher = *ColumnMatcher::Compile(read.columns);
  std::vector<std::vector<Cell>> by_row;
  for (const auto& [row, columns] : rows_) {
    if (!read.rows.Contains(row)) continue;
    std::vector<Cell>& cells = by_row.emplace_back();
    ReadRow(row, columns, read, *matcher, now_us, &cells);
    if (read.keys_only && cells.size() > 1) cells.resize(1);
    if (read.keys_only || read.strip_values) {
      for (Cell& cell : cells) cell.value.clear();
    }
  }
  if (read.reverse) std::reverse(by_row.begin(), by_row.end());
  std::vector<Cell> all;
  for (auto& cells : by_row) all.insert(all.end(), cells.begin(), cells.end());
  return all;
}

void ReferenceTable::ReadRow(const std::string& row, const Columns& columns, const ReadSpec& read,
                             const ColumnMatcher& matcher, int64_t now_us,
                             std::vector<Cell>* out) const {
  std::map<std::string, uint64_t> in_family;
  uint64_t in_row = 0;
  for (const auto& [column, stored] : columns) {
    if (!matcher.Matches(column.first, column.second)) continue;
    Versions versions = stored;
    Collect(column.first, &versions, now_us);
    uint64_t taken = 0;
    for (const auto& [time, value] : versions) {
      if (!read.time.Contains(time)) continue;
      if (read.versions_per_column != 0 && taken >= read.versions_per_column) break;
      ++taken;
      uint64_t family_index = in_family[column.first]++;
      if (family_index < read.cells_per_family_offset) continue;
      if (read.cells_per_family != 0 &&
          family_index - read.cells_per_family_offset >= read.cells_per_family) {
        continue;
      }
      uint64_t row_index = in_row++;
      if (row_index < read.cells_per_row_offset) continue;
      if (read.cells_per_row != 0 && row_index - read.cells_per_row_offset >= read.cells_per_row) {
        continue;
      }
      Cell& cell = out->emplace_back();
      cell.row = row;
      cell.family = column.first;
      cell.qualifier = column.second;
      cell.timestamp_us = time;
      cell.value = value;
    }
  }
}

std::string PrintCells(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    text += fmt::format("{} {}:{}@{}={}\n", Escaped(cell.row), cell.family, Escaped(cell.qualifier),
                        cell.timestamp_us, Escaped(cell.value));
  }
  return text;
}

}  // namespace sippar::engine
