// SPDX-License-Identifier: Apache-2.0
#include "engine/program/row_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/printable.h"
#include "engine/program/row_update.h"
#include "engine/read/run_filter.h"

namespace sippar::engine {
namespace {

// Column -> its newest cell; nullopt: the column has no cell yet.
using Newest = std::map<std::pair<std::string, std::string>, std::optional<Cell>>;

class AnyCell final : public CellSink {
 public:
  void BeginRow(std::string_view) override {}
  void Put(const FilteredCell&) override { found_ = true; }
  void EndRow() override {}
  bool IsSated() const override { return found_; }
  bool found() const { return found_; }

 private:
  bool found_ = false;
};

StatusOr<bool> LeavesCell(const CheckedMutation& check, CellStream* row) {
  if (row == nullptr) return false;
  AnyCell any;
  if (row->Valid() && check.predicate.kind != RowFilter::kPassAll) {
    ASSIGN_OR_RETURN(auto run, FilterRun::Compile(check.predicate, &any, check.seed));
    uint64_t seen = 0;
    RETURN_IF_ERROR(run->RunRow(row, &seen));
    // Without a filter any cell is enough, so the row is not read further.
  } else if (row->Valid()) {
    any.Put({});
  }
  RETURN_IF_ERROR(row->status());
  return any.found();
}

Status ApplyRule(const ModifyRule& rule, std::optional<Cell>* newest) {
  std::string value = newest->has_value() ? std::move((*newest)->value) : "";
  if (rule.append) {
    value += *rule.append;
  } else {
    if (!newest->has_value()) value = EncodeInt64(0);
    auto number = DecodeInt64(value);
    if (!number.ok()) {
      return FailedPrecondition(
          fmt::format("cannot increment {}:{}: its value has {} bytes, an INT64 has 8", rule.family,
                      PrintableBytes(rule.qualifier), value.size()));
    }
    // Adds unsigned numbers: the sum must wrap around as in the Cloud Bigtable API, and signed
    // overflow is undefined.
    value = EncodeInt64(static_cast<int64_t>(static_cast<uint64_t>(*number) +
                                             static_cast<uint64_t>(rule.increment)));
  }
  if (!newest->has_value()) newest->emplace().timestamp_us = kTimeMin;
  (*newest)->value = std::move(value);
  return OkStatus();
}

StatusOr<Newest> ChangedCells(const std::vector<ModifyRule>& rules, CellStream* cells) {
  Newest newest;
  for (const ModifyRule& rule : rules) newest[{rule.family, rule.qualifier}];
  for (; cells != nullptr && cells->Valid(); cells->Next()) {
    const CellView& cell = cells->cell();
    newest[{std::string(cell.family), std::string(cell.qualifier)}] = Cell(cell);
  }
  if (cells != nullptr) RETURN_IF_ERROR(cells->status());
  for (const ModifyRule& rule : rules) {
    RETURN_IF_ERROR(ApplyRule(rule, &newest[{rule.family, rule.qualifier}]));
  }
  return newest;
}

}  // namespace

RowUpdate ReadModifyWriteOf(std::string_view row, std::vector<ModifyRule> rules) {
  RowUpdate update;
  update.row = row;
  update.read.versions_per_column = 1;
  for (const ModifyRule& rule : rules) {
    update.read.columns.push_back(ColumnPattern::Exact(rule.family, rule.qualifier));
  }
  update.rules = std::move(rules);
  return update;
}

Status ValidateRules(const std::vector<ModifyRule>& rules, const TableSchema& schema) {
  for (const ModifyRule& rule : rules) {
    // RowMutation::Validate refuses a family that does not exist.
    const FamilySchema* family = schema.FindFamily(rule.family);
    if (!rule.append && family != nullptr) RETURN_IF_ERROR(ValidateIncrement(*family));
  }
  return OkStatus();
}

StatusOr<RowUpdatePlan> PlanRowOperation(const RowUpdate& update, CellStream* row_before,
                                         int64_t time_us) {
  RowUpdatePlan plan;
  plan.mutation = RowMutation(update.row);
  plan.result.applied = true;
  if (update.check) {
    ASSIGN_OR_RETURN(plan.result.matched, LeavesCell(*update.check, row_before));
    plan.mutation.entries = plan.result.matched ? update.check->on_true : update.check->on_false;
    return plan;
  }
  ASSIGN_OR_RETURN(Newest newest, ChangedCells(update.rules, row_before));
  for (auto& [column, cell] : newest) {
    // The new cell is not older than the cell from which it was computed: otherwise it would not be
    // the newest version.
    cell->timestamp_us = std::max(cell->timestamp_us, time_us);
    plan.mutation.Set(column.first, column.second, cell->value, cell->timestamp_us);
    cell->family = column.first;
    cell->qualifier = column.second;
    plan.result.cells.push_back(*std::move(cell));
  }
  return plan;
}

}  // namespace sippar::engine
