// Cells in memory. SPDX-License-Identifier: Apache-2.0
#include "query/execute/row_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sippar::query {
namespace {

using engine::Cell;
using engine::MutationEntry;

bool SameColumn(const Cell& cell, const MutationEntry& entry, std::string_view row) {
  return cell.row == row && cell.family == entry.family && cell.qualifier == entry.qualifier;
}

void SetCell(std::vector<Cell>* cells, std::string_view row, const MutationEntry& entry,
             int64_t time_us, std::string value) {
  Cell cell;
  cell.row = row;
  cell.family = entry.family;
  cell.qualifier = entry.qualifier;
  cell.timestamp_us = time_us;
  cell.value = std::move(value);
  auto at = std::lower_bound(cells->begin(), cells->end(), cell, CellBefore);
  bool same = at != cells->end() && !CellBefore(cell, *at);
  if (same) {
    *at = std::move(cell);
  } else {
    cells->insert(at, std::move(cell));
  }
}

const Cell* Newest(const std::vector<Cell>& cells, std::string_view row,
                   const MutationEntry& entry) {
  for (const Cell& cell : cells) {
    if (SameColumn(cell, entry, row)) return &cell;
  }
  return nullptr;
}

Status ApplyEntry(const MutationEntry& entry, std::string_view row, int64_t now_us,
                  std::vector<Cell>* cells) {
  int64_t time_us = entry.timestamp_us == engine::kServerTime ? now_us : entry.timestamp_us;
  const Cell* newest = Newest(*cells, row, entry);
  switch (entry.kind) {
    case MutationEntry::kSet:
      SetCell(cells, row, entry, time_us, entry.value);
      return OkStatus();
    case MutationEntry::kAppend:
    case MutationEntry::kIncrement: {
      MutationEntry put = entry;
      RETURN_IF_ERROR(engine::ResolveOn(newest == nullptr ? "" : newest->value, &put));
      SetCell(cells, row, put, time_us, put.value);
      return OkStatus();
    }
    case MutationEntry::kAdd:
    case MutationEntry::kMerge:
      return FailedPrecondition("aggregates cannot be added to in a transaction");
    case MutationEntry::kDeleteColumn:
      std::erase_if(*cells, [&](const Cell& cell) {
        return SameColumn(cell, entry, row) && entry.time.Contains(cell.timestamp_us);
      });
      return OkStatus();
    case MutationEntry::kDeleteFamily:
      std::erase_if(
          *cells, [&](const Cell& cell) { return cell.row == row && cell.family == entry.family; });
      return OkStatus();
    case MutationEntry::kDeleteRow:
      break;
  }
  std::erase_if(*cells, [&](const Cell& cell) { return cell.row == row; });
  return OkStatus();
}

class VectorStream final : public engine::CellStream {
 public:
  explicit VectorStream(std::vector<Cell> cells) : cells_(std::move(cells)) { Set(); }
  bool Valid() const override { return at_ < cells_.size(); }
  const engine::CellView& cell() const override { return view_; }
  void Next() override {
    ++at_;
    Set();
  }
  void NextRow() override {
    size_t from = at_;
    while (at_ < cells_.size() && cells_[at_].row == cells_[from].row) ++at_;
    Set();
  }
  Status status() const override { return OkStatus(); }

 private:
  void Set() {
    if (Valid()) view_ = cells_[at_].view();
  }

  std::vector<Cell> cells_;
  size_t at_ = 0;
  engine::CellView view_;
};

// Counts what has been taken of the present row, family and column.
class Taker {
 public:
  explicit Taker(const engine::ReadSpec& read) : read_(read) {}

  // In the language's order of work: versions, then cells per family, then per row.
  bool Takes(const Cell& cell) {
    Enter(cell);
    if (read_.keys_only && in_row_ > 0) return false;
    if (read_.versions_per_column != 0 && versions_ >= read_.versions_per_column) return false;
    ++versions_;
    if (!Counts(in_family_++, read_.cells_per_family_offset, read_.cells_per_family)) return false;
    return Counts(in_row_++, read_.cells_per_row_offset, read_.cells_per_row);
  }

 private:
  static bool Counts(uint64_t number, uint64_t offset, uint64_t limit) {
    return number >= offset && (limit == 0 || number - offset < limit);
  }
  void Enter(const Cell& cell) {
    bool new_row = first_ || cell.row != last_.row;
    bool new_family = new_row || cell.family != last_.family;
    bool new_column = new_family || cell.qualifier != last_.qualifier;
    if (new_row) in_row_ = 0;
    if (new_family) in_family_ = 0;
    if (new_column) versions_ = 0;
    if (new_column) last_ = cell;
    first_ = false;
  }

  const engine::ReadSpec& read_;
  Cell last_;
  bool first_ = true;
  uint64_t versions_ = 0, in_family_ = 0, in_row_ = 0;
};

}  // namespace

bool CellBefore(const Cell& a, const Cell& b) {
  auto key = [](const Cell& cell) { return std::tie(cell.row, cell.family, cell.qualifier); };
  if (key(a) != key(b)) return key(a) < key(b);
  return a.timestamp_us > b.timestamp_us;
}

Status ApplyToCells(const engine::RowMutation& mutation, int64_t now_us, std::vector<Cell>* cells) {
  for (const MutationEntry& entry : mutation.entries) {
    RETURN_IF_ERROR(ApplyEntry(entry, mutation.row, now_us, cells));
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<engine::CellStream>> ReadCells(const engine::ReadSpec& read,
                                                        std::vector<Cell> cells) {
  ASSIGN_OR_RETURN(std::unique_ptr<engine::ColumnMatcher> matcher,
                   engine::ColumnMatcher::Compile(read.columns));
  if (read.reverse) {
    std::stable_sort(cells.begin(), cells.end(),
                     [](const Cell& a, const Cell& b) { return a.row > b.row; });
  }
  Taker taker(read);
  std::vector<Cell> taken;
  for (Cell& cell : cells) {
    bool wanted = read.rows.Contains(cell.row) && matcher->Matches(cell.family, cell.qualifier) &&
                  read.time.Contains(cell.timestamp_us);
    if (!wanted || !taker.Takes(cell)) continue;
    if (read.strip_values || read.keys_only) cell.value.clear();
    taken.push_back(std::move(cell));
  }
  return std::unique_ptr<engine::CellStream>(std::make_unique<VectorStream>(std::move(taken)));
}

}  // namespace sippar::query
