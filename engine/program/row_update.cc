// SPDX-License-Identifier: Apache-2.0
#include "engine/program/row_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/program/evaluate.h"
#include "engine/program/program_error.h"
#include "engine/program/row_slots.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

// A column of the row, with the times of its versions as far as they were read.
struct ColumnVersions {
  std::string family;
  std::string qualifier;
  std::vector<int64_t> times_us;
};

// Records the columns of a row while its slots are filled from the same stream, so that the row is
// read once.
class RecordingStream final : public CellStream {
 public:
  RecordingStream(CellStream* cells, std::vector<ColumnVersions>* columns)
      : cells_(cells), columns_(columns) {
    Record();
  }
  bool Valid() const override { return cells_->Valid(); }
  const CellView& cell() const override { return cells_->cell(); }
  void Next() override {
    cells_->Next();
    Record();
  }
  // Steps over every cell: the slots need no more of the row, but the columns are still to be
  // recorded.
  void NextRow() override {
    std::string row(cells_->cell().row);
    while (cells_->Valid() && cells_->cell().row == row) Next();
  }
  Status status() const override { return cells_->status(); }

 private:
  void Record() {
    if (!cells_->Valid()) return;
    const CellView& cell = cells_->cell();
    bool known = !columns_->empty() && columns_->back().family == cell.family &&
                 columns_->back().qualifier == cell.qualifier;
    if (!known) {
      columns_->push_back({std::string(cell.family), std::string(cell.qualifier), {}});
    }
    columns_->back().times_us.push_back(cell.timestamp_us);
  }

  CellStream* cells_;
  std::vector<ColumnVersions>* columns_;
};

StatusOr<Value> EvaluateOn(const Expression& expression, const RowSlots& slots) {
  ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator, Evaluator::Prepare(expression));
  const Value* value = nullptr;
  RETURN_IF_ERROR(evaluator->Evaluate(slots.values(), &slots, &value));
  return *value;
}

StatusOr<bool> TestOn(const std::optional<Expression>& expression, const RowSlots& slots) {
  if (!expression) return true;
  ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator, Evaluator::Prepare(*expression));
  bool result = false;
  RETURN_IF_ERROR(evaluator->EvaluateTest(slots.values(), &slots, &result));
  return result;
}

class Planner {
 public:
  Planner(const RowUpdate& update, const RowAfter& row_after, int64_t server_time_us)
      : update_(update), row_after_(row_after), server_time_us_(server_time_us) {
    const std::vector<RowWrite>& writes = update.writes;
    is_block_ = !writes.empty() && writes.front().statement != writes.back().statement;
  }

  StatusOr<RowUpdatePlan> Plan() {
    plan_.mutation = RowMutation(update_.row);
    ASSIGN_OR_RETURN(slots_, RowSlots::Make(update_.slots, update_.read.columns, update_.families));
    RETURN_IF_ERROR(ReadRow());
    plan_.result.existed = !columns_.empty();
    if (update_.only_if_exists && !plan_.result.existed) return std::move(plan_);
    ASSIGN_OR_RETURN(bool holds, TestOn(update_.condition, *slots_));
    if (!holds) return std::move(plan_);
    plan_.result.applied = true;
    for (size_t i = 0; i < update_.writes.size(); ++i) {
      bool begins = i == 0 || update_.writes[i].statement != update_.writes[i - 1].statement;
      if (begins) RETURN_IF_ERROR(BeginStatement(i));
      RETURN_IF_ERROR(Do(update_.writes[i]));
    }
    return std::move(plan_);
  }

 private:
  Status ReadRow() {
    columns_.clear();
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> row, row_after_(plan_.mutation, update_.read));
    RecordingStream cells(row.get(), &columns_);
    if (cells.Valid()) {
      slots_->ReadRow(&cells);
    } else {
      slots_->SetEmptyRow(update_.row);
    }
    entries_read_ = plan_.mutation.entries.size();
    return row->status();
  }

  // Reads the row again if a step of the statement depends on what an earlier statement changed.
  Status BeginStatement(size_t first) {
    statement_begin_ = plan_.mutation.entries.size();
    if (statement_begin_ == entries_read_) return OkStatus();
    const std::vector<RowWrite>& writes = update_.writes;
    for (size_t i = first; i < writes.size() && writes[i].statement == writes[first].statement;
         ++i) {
      if (NeedsRow(writes[i])) return ReadRow();
    }
    return OkStatus();
  }

  bool NeedsRow(const RowWrite& write) const {
    bool deletes = write.kind == RowWrite::kDeleteColumns ||
                   write.kind == RowWrite::kDeleteFamily || write.kind == RowWrite::kDeleteRow;
    return deletes || ReadsCells(write.value) ||
           (write.timestamp && ReadsCells(*write.timestamp)) ||
           (write.guard && ReadsCells(*write.guard));
  }

  bool ReadsCells(const Expression& expression) const {
    if (expression.kind == Expression::kSlot) {
      return IsOfPattern(update_.slots[expression.slot].kind);
    }
    return std::any_of(expression.args.begin(), expression.args.end(),
                       [this](const Expression& arg) { return ReadsCells(arg); });
  }

  Status Do(const RowWrite& write) {
    ASSIGN_OR_RETURN(bool wanted, TestOn(write.guard, *slots_));
    if (write.kind == RowWrite::kLet) return AddLet(write, wanted);
    return wanted ? AtPlace(AddWrite(write), write.value.place) : OkStatus();
  }

  Status AddLet(const RowWrite& write, bool wanted) {
    Value value;
    if (wanted) {
      ASSIGN_OR_RETURN(value, EvaluateOn(write.value, *slots_));
    }
    plan_.result.lets.push_back(std::move(value));
    slots_->SetLets(plan_.result.lets);
    return OkStatus();
  }

  Status AddWrite(const RowWrite& write) {
    switch (write.kind) {
      case RowWrite::kSet:
      case RowWrite::kIncrement:
      case RowWrite::kAppend:
        return AddCell(write);
      case RowWrite::kDeleteColumns:
        return AddColumnDeletes(write);
      case RowWrite::kDeleteFamily:
        return AddFamilyDelete(write);
      case RowWrite::kLet:
        return OkStatus();
      case RowWrite::kFail: {
        ASSIGN_OR_RETURN(Value message, EvaluateOn(write.value, *slots_));
        return ProgramError("FAILED", message.Print(), {}, StatusCode::kFailedPrecondition);
      }
      case RowWrite::kDeleteRow:
        break;
    }
    // A tombstone for a row without cells would only cost later reads.
    if (columns_.empty()) return OkStatus();
    plan_.result.row_deleted = true;
    plan_.result.columns_deleted += columns_.size();
    for (const ColumnVersions& column : columns_) {
      plan_.result.cells_deleted += column.times_us.size();
    }
    plan_.mutation.DeleteRow();
    return OkStatus();
  }

  Status Timestamp(const RowWrite& write, int64_t* time_us) {
    *time_us = kServerTime;
    if (!write.timestamp) return OkStatus();
    ASSIGN_OR_RETURN(Value time, EvaluateOn(*write.timestamp, *slots_));
    if (time.is_null()) return OkStatus();
    if (time.type() != ValueType::kInt64 && time.type() != ValueType::kTimestamp) {
      return ProgramError("TYPE",
                          fmt::format("a cell's time is microseconds or a TIMESTAMP, not {}",
                                      TypeName(time.type())));
    }
    if (time.integer() < 0) {
      return ProgramError(
          "RANGE", fmt::format("{} is not a valid cell time: it is before 1970", time.integer()));
    }
    *time_us = time.integer();
    return OkStatus();
  }

  std::string ColumnName(const RowWrite& write) const {
    return fmt::format("{}:{}", write.family, PrintEscaped(write.qualifier));
  }

  Status AddCell(const RowWrite& write) {
    ASSIGN_OR_RETURN(Value value, EvaluateOn(write.value, *slots_));
    if (value.is_null()) {
      return ProgramError("NULL_VALUE", fmt::format("{} would become NULL", ColumnName(write)),
                          "a cell cannot hold NULL; DELETE removes one");
    }
    int64_t time_us = 0;
    RETURN_IF_ERROR(Timestamp(write, &time_us));
    ++plan_.result.cells_set;
    const ValueType family = update_.families.TypeOf(write.family);
    if (family == ValueType::kText && value.is_string()) {
      RETURN_IF_ERROR(CheckText(write.family, write.qualifier, value.bytes()));
    }
    if (write.kind == RowWrite::kIncrement) {
      if (value.type() != ValueType::kInt64) return WrongType(write, value, "an INT64 to add");
      plan_.mutation.Increment(write.family, write.qualifier, value.integer(), time_us);
    } else if (family == ValueType::kInt64 && write.kind == RowWrite::kSet) {
      bool raw = value.type() == ValueType::kBytes && value.bytes().size() == 8;
      if (value.type() != ValueType::kInt64 && !raw) {
        return WrongType(write, value, "an INT64 (its family is a COUNTER)");
      }
      plan_.mutation.Set(write.family, write.qualifier,
                         raw ? value.bytes() : EncodeInt64(value.integer()), time_us);
    } else if (!value.is_string()) {
      return WrongType(write, value,
                       family == ValueType::kText
                           ? "TEXT (its family is of type TEXT); TEXT(x) writes it as text"
                           : "TEXT or BYTES; TEXT(x) writes digits, BYTES(x) 8 bytes");
    } else if (write.kind == RowWrite::kSet) {
      plan_.mutation.Set(write.family, write.qualifier, value.bytes(), time_us);
    } else {
      plan_.mutation.Append(write.family, write.qualifier, value.bytes(), time_us);
    }
    return SettleLast();
  }

  // Fixes what a later statement may read of the last entry: the entry's time and, if the entry is
  // an increment or append, its result.
  Status SettleLast() {
    if (!is_block_) return OkStatus();
    MutationEntry* last = &plan_.mutation.entries.back();
    if (last->kind == MutationEntry::kSet) {
      if (last->timestamp_us == kServerTime) last->timestamp_us = server_time_us_;
      return OkStatus();
    }
    auto touches = [&](const MutationEntry& before) { return Touches(before, *last); };
    auto& entries = plan_.mutation.entries;
    auto begin = entries.begin() + static_cast<std::ptrdiff_t>(statement_begin_);
    // If this statement changes the cell twice, leaves the entry as it is: the tablet refuses the
    // mutation, with a better message.
    if (std::any_of(begin, entries.end() - 1, touches)) return OkStatus();
    // If no earlier statement touched the cell and no time is known yet, the tablet resolves the
    // entry.
    bool later = server_time_us_ == kServerTime && std::none_of(entries.begin(), begin, touches);
    return later ? OkStatus() : BuildOnNewest();
  }

  // Replaces the last entry, an increment or append, with a kSet of its result.
  Status BuildOnNewest() {
    MutationEntry entry = std::move(plan_.mutation.entries.back());
    plan_.mutation.entries.pop_back();
    ReadSpec read;
    read.columns = {ColumnPattern::Exact(entry.family, entry.qualifier)};
    read.versions_per_column = 1;
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, row_after_(plan_.mutation, read));
    RETURN_IF_ERROR(cells->status());
    Cell newest = cells->Valid() ? Cell(cells->cell()) : Cell();
    if (entry.timestamp_us == kServerTime) {
      // The time is never below that of the newest version, which would otherwise hide the result.
      int64_t about_us = server_time_us_ == kServerTime ? update_.now_us : server_time_us_;
      bool ahead = cells->Valid() && newest.timestamp_us > about_us;
      entry.timestamp_us = ahead ? newest.timestamp_us : server_time_us_;
    }
    RETURN_IF_ERROR(ResolveOn(newest.value, &entry));
    plan_.mutation.entries.push_back(std::move(entry));
    return OkStatus();
  }

  Status WrongType(const RowWrite& write, const Value& value, std::string_view wanted) const {
    return ProgramError(
        "TYPE", fmt::format("{} cannot be set to {}", ColumnName(write), TypeName(value.type())),
        fmt::format("{} takes {}", ColumnName(write), wanted));
  }

  Status AddColumnDeletes(const RowWrite& write) {
    ASSIGN_OR_RETURN(std::unique_ptr<ColumnMatcher> matcher,
                     ColumnMatcher::Compile({write.pattern}));
    std::vector<TimeRange> times = write.times;
    if (times.empty()) times.push_back({});
    for (ColumnVersions& column : columns_) {
      if (!matcher->Matches(column.family, column.qualifier)) continue;
      uint64_t deleted = 0;
      for (const TimeRange& time : times) {
        // Erased, so that another pattern of the statement does not count or delete them again.
        uint64_t count =
            std::erase_if(column.times_us, [&](int64_t at_us) { return time.Contains(at_us); });
        // A delete that hides nothing is not written: it would cost each later read of the column.
        if (count == 0) continue;
        deleted += count;
        plan_.mutation.DeleteColumn(column.family, column.qualifier, time);
      }
      plan_.result.cells_deleted += deleted;
      if (deleted > 0) ++plan_.result.columns_deleted;
    }
    return OkStatus();
  }

  Status AddFamilyDelete(const RowWrite& write) {
    uint64_t columns = 0;
    for (ColumnVersions& column : columns_) {
      if (column.family != write.family || column.times_us.empty()) continue;
      ++columns;
      plan_.result.cells_deleted += std::exchange(column.times_us, {}).size();
    }
    plan_.result.columns_deleted += columns;
    if (columns > 0) plan_.mutation.DeleteFamily(write.family);
    return OkStatus();
  }

  const RowUpdate& update_;
  const RowAfter& row_after_;
  const int64_t server_time_us_;
  bool is_block_ = false;       // the update has more than one statement
  size_t entries_read_ = 0;     // number of the mutation's entries when the row was last read
  size_t statement_begin_ = 0;  // number of the mutation's entries before the current statement
  std::unique_ptr<RowSlots> slots_;
  std::vector<ColumnVersions> columns_;
  RowUpdatePlan plan_;
};

}  // namespace

StatusOr<RowUpdatePlan> PlanRowUpdate(const RowUpdate& update, const RowAfter& row_after,
                                      int64_t server_time_us) {
  return Planner(update, row_after, server_time_us).Plan();
}

Status FinishRowUpdate(const RowUpdate& update, CellStream* row_after, RowUpdateResult* result) {
  if (update.returning.empty() || !result->applied) return OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<RowSlots> slots,
                   RowSlots::Make(update.slots, update.read.columns, update.families));
  if (row_after->Valid()) {
    slots->ReadRow(row_after);
  } else {
    slots->SetEmptyRow(update.row);
  }
  RETURN_IF_ERROR(row_after->status());
  slots->SetLets(result->lets);
  for (const Expression& expression : update.returning) {
    ASSIGN_OR_RETURN(Value value, EvaluateOn(expression, *slots));
    result->returning.push_back(std::move(value));
  }
  return OkStatus();
}

}  // namespace sippar::engine
