// Operations made of DataApi calls. SPDX-License-Identifier: Apache-2.0
#include "cluster/client/row_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/printable.h"
#include "engine/model/mutation.h"
#include "engine/read/cell_digest.h"
#include "engine/read/run_filter.h"

namespace sippar::cluster {
namespace {

// Somebody wins each race, so losing this often means something else is wrong.
constexpr int kRacesMax = 1'000;
constexpr size_t kDeleteBatch = 1'000;

Status TooManyRaces(const std::string& row) {
  return Aborted(fmt::format("row '{}' was changed by others {} times in a row; try again later",
                             engine::PrintableBytes(row), kRacesMax));
}

// Lets cells pass and digests them, so that what was decided on is what is checked.
class DigestedStream final : public CellStream {
 public:
  explicit DigestedStream(std::unique_ptr<CellStream> cells) : cells_(std::move(cells)) { Add(); }
  bool Valid() const override { return cells_->Valid(); }
  const CellView& cell() const override { return cells_->cell(); }
  void Next() override {
    cells_->Next();
    Add();
  }
  void NextRow() override {  // of the one row there is
    while (Valid()) Next();
  }
  Status status() const override { return cells_->status(); }
  // Of everything: reads what is left.
  StatusOr<uint64_t> Finish() {
    NextRow();
    RETURN_IF_ERROR(cells_->status());
    return digest_.value();
  }

 private:
  void Add() {
    if (cells_->Valid()) digest_.Add(cells_->cell());
  }
  std::unique_ptr<CellStream> cells_;
  engine::CellDigest digest_;
};

StatusOr<DigestedStream> OpenRow(DataApi* data, const std::string& table, const ReadSpec& read) {
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, data->Read(table, read, {}));
  return DigestedStream(std::move(cells));
}

class AnyCell final : public engine::CellSink {
 public:
  void BeginRow(std::string_view) override {}
  void Put(const engine::FilteredCell&) override { found_ = true; }
  void EndRow() override {}
  bool IsSated() const override { return found_; }
  bool found() const { return found_; }

 private:
  bool found_ = false;
};

StatusOr<bool> FindsCell(const engine::RowFilter& filter, uint64_t seed, CellStream* row) {
  AnyCell any;
  ASSIGN_OR_RETURN(auto run, engine::FilterRun::Compile(filter, &any, seed));
  uint64_t seen = 0;
  if (row->Valid()) RETURN_IF_ERROR(run->RunRow(row, &seen));
  RETURN_IF_ERROR(row->status());
  return any.found();
}

// What the rules make of the newest cells: by column, in order.
using Newest = std::map<std::pair<std::string, std::string>, std::optional<Cell>>;

Status ApplyRule(const ModifyRule& rule, std::optional<Cell>* newest) {
  std::string value = newest->has_value() ? (*newest)->value : "";
  if (rule.append) {
    value += *rule.append;
  } else {
    if (!newest->has_value()) value = engine::EncodeInt64(0);
    auto number = engine::DecodeInt64(value);
    if (!number.ok()) {
      return FailedPrecondition(
          fmt::format("cannot increment {}:{}: its value has {} bytes, not the 8 of an INT64",
                      rule.family, engine::PrintableBytes(rule.qualifier), value.size()));
    }
    value = engine::EncodeInt64(static_cast<int64_t>(static_cast<uint64_t>(*number) +
                                                     static_cast<uint64_t>(rule.increment)));
  }
  if (!newest->has_value()) newest->emplace().timestamp_us = engine::kTimeMin;
  (*newest)->value = std::move(value);
  return OkStatus();
}

StatusOr<Newest> NewestCells(const std::vector<ModifyRule>& rules, CellStream* cells) {
  Newest newest;
  for (const ModifyRule& rule : rules) newest[{rule.family, rule.qualifier}];
  for (; cells->Valid(); cells->Next()) {
    const CellView& cell = cells->cell();
    newest[{std::string(cell.family), std::string(cell.qualifier)}] = Cell(cell);
  }
  RETURN_IF_ERROR(cells->status());
  for (const ModifyRule& rule : rules) {
    RETURN_IF_ERROR(ApplyRule(rule, &newest[{rule.family, rule.qualifier}]));
  }
  return newest;
}

}  // namespace

StatusOr<bool> CheckAndMutate(DataApi* data, const std::string& table,
                              const std::vector<std::string>& families,
                              const CheckedMutation& mutation) {
  ReadCheck check;
  bool is_covered = PushDownThroughView(mutation.predicate, families, mutation.view, &check.read);
  const std::string& row = mutation.on_true.row;
  check.read.rows = check.read.rows.Intersection(engine::RowSet(RowRange::Single(row)));
  for (int race = 0; race < kRacesMax; ++race) {
    ASSIGN_OR_RETURN(DigestedStream cells, OpenRow(data, table, check.read));
    ASSIGN_OR_RETURN(bool matched, FindsCell(is_covered ? engine::RowFilter() : mutation.predicate,
                                             mutation.seed, &cells));
    const RowMutation& chosen = matched ? mutation.on_true : mutation.on_false;
    if (chosen.entries.empty()) return matched;
    // A predicate that no row like this can meet was not read: nothing can change that.
    if (check.read.rows.IsEmpty()) {
      RETURN_IF_ERROR(data->Apply(table, chosen));
      return matched;
    }
    ASSIGN_OR_RETURN(check.digest, cells.Finish());
    Status status = data->CommitRow(table, chosen, {check});
    if (status.ok()) return matched;
    if (status.code() != StatusCode::kAborted) return status;
  }
  return TooManyRaces(row);
}

StatusOr<std::vector<Cell>> ReadModifyWrite(DataApi* data, const std::string& table,
                                            const std::string& row,
                                            const std::vector<ModifyRule>& rules, int64_t now_us) {
  ReadCheck check;
  check.read.rows = engine::RowSet(RowRange::Single(row));
  check.read.versions_per_column = 1;
  for (const ModifyRule& rule : rules) {
    check.read.columns.push_back(engine::ColumnPattern::Exact(rule.family, rule.qualifier));
  }
  for (int race = 0; race < kRacesMax; ++race) {
    ASSIGN_OR_RETURN(DigestedStream cells, OpenRow(data, table, check.read));
    ASSIGN_OR_RETURN(Newest newest, NewestCells(rules, &cells));
    ASSIGN_OR_RETURN(check.digest, cells.Finish());
    RowMutation mutation(row);
    std::vector<Cell> changed;
    for (auto& [column, cell] : newest) {
      cell->timestamp_us = std::max(cell->timestamp_us, now_us);
      mutation.Set(column.first, column.second, cell->value, cell->timestamp_us);
      cell->family = column.first;
      cell->qualifier = column.second;
      changed.push_back(std::move(*cell));
    }
    Status status = data->CommitRow(table, mutation, {check});
    if (status.ok()) return changed;
    if (status.code() != StatusCode::kAborted) return status;
  }
  return TooManyRaces(row);
}

Status DeleteRows(DataApi* data, const std::string& table, const RowRange& range) {
  ReadSpec read;
  read.rows = engine::RowSet(range);
  read.keys_only = true;
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> rows, data->Read(table, read, {}));
  while (rows->Valid()) {
    std::vector<RowMutation> batch;
    for (; rows->Valid() && batch.size() < kDeleteBatch; rows->Next()) {
      batch.emplace_back(rows->cell().row).DeleteRow();
    }
    for (const Status& status : data->ApplyBatch(table, batch)) RETURN_IF_ERROR(status);
  }
  return rows->status();
}

}  // namespace sippar::cluster
