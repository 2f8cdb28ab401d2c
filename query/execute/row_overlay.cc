// SPDX-License-Identifier: Apache-2.0
#include "query/execute/row_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "engine/read/version_history.h"

namespace sippar::query {
namespace {

using engine::Cell;
using engine::MutationEntry;

// The cells of one column, as a range of iterators.
struct ColumnPlace {
  std::vector<Cell>::iterator begin, end;
};

// Uses binary search: a row may have a million cells, and each held-back entry looks for its
// column.
ColumnPlace FindColumn(std::vector<Cell>* cells, std::string_view row, const MutationEntry& entry) {
  auto key = [](std::string_view of_row, std::string_view family, std::string_view qualifier) {
    return std::tuple(of_row, family, qualifier);
  };
  auto wanted = key(row, entry.family, entry.qualifier);
  auto key_of = [&](const Cell& cell) { return key(cell.row, cell.family, cell.qualifier); };
  return {std::partition_point(cells->begin(), cells->end(),
                               [&](const Cell& cell) { return key_of(cell) < wanted; }),
          std::partition_point(cells->begin(), cells->end(),
                               [&](const Cell& cell) { return key_of(cell) <= wanted; })};
}

// Applies the family's GC rule at once, as a tablet does: a version that the rule drops does not
// come back when a newer one is deleted.
void CollectColumn(const engine::GcPolicy& policy, int64_t now_us, ColumnPlace column,
                   std::vector<Cell>* cells) {
  if (policy.kind == engine::GcPolicy::kKeepAll) return;
  std::vector<engine::Version> versions;
  for (auto cell = column.begin; cell != column.end; ++cell) {
    versions.push_back({cell->timestamp_us, 1});
  }
  auto kept = engine::ReplayVersions(std::move(versions), {}, {policy}, now_us);
  // `kept` and the column's cells are both sorted newest first, so the kept versions are the first
  // of these cells.
  auto dropped = column.begin + static_cast<std::ptrdiff_t>(kept.size());
  cells->erase(dropped, column.end);
}

void SetCell(const MutationEntry& entry, std::string_view row, int64_t time_us, std::string value,
             ColumnPlace column, std::vector<Cell>* cells) {
  Cell cell;
  cell.row = row;
  cell.family = entry.family;
  cell.qualifier = entry.qualifier;
  cell.timestamp_us = time_us;
  cell.value = std::move(value);
  auto at = std::lower_bound(column.begin, column.end, cell, CellBefore);
  // A column has at most one cell for each timestamp; as in a tablet, a second write with the same
  // timestamp replaces the cell.
  if (at != column.end && at->timestamp_us == time_us) {
    *at = std::move(cell);
  } else {
    cells->insert(at, std::move(cell));
  }
}

// Applies an entry that sets, appends to or increments a cell.
Status PutEntry(const MutationEntry& entry, std::string_view row, int64_t now_us,
                const engine::TableSchema& schema, std::vector<Cell>* cells) {
  const bool by_server = entry.timestamp_us == engine::kServerTime;
  int64_t time_us = by_server ? now_us : entry.timestamp_us;
  ColumnPlace column = FindColumn(cells, row, entry);
  MutationEntry put = entry;
  if (entry.kind != MutationEntry::kSet) {
    bool none = column.begin == column.end;
    // The result must become the newest version even if the present one has a future time.
    if (!none && by_server) time_us = std::max(time_us, column.begin->timestamp_us);
    RETURN_IF_ERROR(engine::ResolveOn(none ? "" : column.begin->value, &put));
  }
  SetCell(entry, row, time_us, std::move(put.value), column, cells);
  const engine::FamilySchema* family = schema.FindFamily(entry.family);
  if (family != nullptr) {
    CollectColumn(family->gc, now_us, FindColumn(cells, row, entry), cells);
  }
  return OkStatus();
}

Status ApplyEntry(const MutationEntry& entry, std::string_view row, int64_t now_us,
                  const engine::TableSchema& schema, std::vector<Cell>* cells) {
  switch (entry.kind) {
    case MutationEntry::kSet:
    case MutationEntry::kAppend:
    case MutationEntry::kIncrement:
      return PutEntry(entry, row, now_us, schema, cells);
    case MutationEntry::kAdd:
    case MutationEntry::kMerge:
      return FailedPrecondition(
          fmt::format("family {}: adding to an aggregate is not supported in a row transaction; "
                      "write to the family outside of transactions",
                      entry.family));
    case MutationEntry::kDeleteColumn: {
      ColumnPlace column = FindColumn(cells, row, entry);
      auto rest = std::remove_if(column.begin, column.end, [&](const Cell& cell) {
        return entry.time.Contains(cell.timestamp_us);
      });
      cells->erase(rest, column.end);
      return OkStatus();
    }
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

// A stream over cells that it owns.
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

// Decides for each cell whether the read returns it, by counting the cells of the current row,
// family and column.
class Taker {
 public:
  explicit Taker(const engine::ReadSpec& read) : read_(read) {}

  // Applies the limits in the order that the language defines: versions, cells per family, cells
  // per row.
  bool Takes(const Cell& cell) {
    Enter(cell);
    // One cell is enough to show that the row exists.
    if (read_.keys_only && in_row_ > 0) return false;
    if (!Counts(versions_++, read_.versions_offset, read_.versions_per_column)) return false;
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

Status ApplyToCells(const engine::RowMutation& mutation, const engine::TableSchema& schema,
                    int64_t now_us, std::vector<Cell>* cells) {
  for (const MutationEntry& entry : mutation.entries) {
    RETURN_IF_ERROR(ApplyEntry(entry, mutation.row, now_us, schema, cells));
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<engine::CellStream>> ReadCells(const engine::ReadSpec& read,
                                                        std::vector<Cell> cells) {
  ASSIGN_OR_RETURN(std::unique_ptr<engine::ColumnMatcher> matcher,
                   engine::ColumnMatcher::Compile(read.columns));
  if (read.reverse) {
    // A reverse read changes only the order of rows. The sort is stable, so the cells of a row keep
    // their order.
    std::stable_sort(cells.begin(), cells.end(),
                     [](const Cell& a, const Cell& b) { return a.row > b.row; });
  }
  Taker taker(read);
  std::vector<Cell> taken;
  for (Cell& cell : cells) {
    // Time and columns are tested before counting: VERSIONS counts only versions within the time
    // range, as in the tablet.
    bool wanted = read.rows.Contains(cell.row) && matcher->Matches(cell.family, cell.qualifier) &&
                  read.time.Contains(cell.timestamp_us);
    if (!wanted || !taker.Takes(cell)) continue;
    if (read.strip_values || read.keys_only) cell.value.clear();
    taken.push_back(std::move(cell));
  }
  return std::unique_ptr<engine::CellStream>(std::make_unique<VectorStream>(std::move(taken)));
}

}  // namespace sippar::query
