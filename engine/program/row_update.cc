// Planning of row updates. SPDX-License-Identifier: Apache-2.0
#include "engine/program/row_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/program/evaluate.h"
#include "engine/program/program_error.h"
#include "engine/program/row_slots.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

// A column of the row with the times of its versions, as far as they were read.
struct ColumnVersions {
  std::string family;
  std::string qualifier;
  std::vector<int64_t> times_us;
};

// Keeps the columns of a row while its slots are filled from the same stream.
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
  // The slots have seen enough; the columns have not.
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
  Planner(const RowUpdate& update, int64_t now_us) : update_(update), now_us_(now_us) {}

  StatusOr<RowUpdatePlan> Plan(CellStream* row_before) {
    plan_.mutation = RowMutation(update_.row);
    RETURN_IF_ERROR(ReadRow(row_before));
    plan_.result.existed = !columns_.empty();
    if (update_.only_if_exists && !plan_.result.existed) return std::move(plan_);
    ASSIGN_OR_RETURN(bool holds, TestOn(update_.condition, *slots_));
    if (!holds) return std::move(plan_);
    plan_.result.applied = true;
    RETURN_IF_ERROR(CheckFailures());
    deletes_ = std::any_of(update_.writes.begin(), update_.writes.end(), [](const RowWrite& write) {
      return write.kind == RowWrite::kDeleteColumns || write.kind == RowWrite::kDeleteFamily ||
             write.kind == RowWrite::kDeleteRow;
    });
    for (const RowWrite& write : update_.writes) {
      ASSIGN_OR_RETURN(bool wanted, TestOn(write.guard, *slots_));
      if (wanted) RETURN_IF_ERROR(AddWrite(write));
    }
    return std::move(plan_);
  }

 private:
  Status ReadRow(CellStream* row_before) {
    ASSIGN_OR_RETURN(slots_,
                     RowSlots::Make(update_.slots, update_.read.columns, update_.counter_families));
    RecordingStream cells(row_before, &columns_);
    if (cells.Valid()) {
      slots_->ReadRow(&cells);
    } else {
      slots_->SetEmptyRow(update_.row);
    }
    RETURN_IF_ERROR(row_before->status());
    for (const Expression& let : update_.lets) {
      ASSIGN_OR_RETURN(Value value, EvaluateOn(let, *slots_));
      plan_.result.lets.push_back(std::move(value));
      slots_->SetLets(plan_.result.lets);
    }
    return OkStatus();
  }

  Status CheckFailures() {
    for (const RowFailure& failure : update_.failures) {
      ASSIGN_OR_RETURN(bool fails, TestOn(failure.guard, *slots_));
      if (!fails) continue;
      ASSIGN_OR_RETURN(Value message, EvaluateOn(failure.message, *slots_));
      return ProgramError("FAILED", message.Print(), {}, StatusCode::kFailedPrecondition);
    }
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
      case RowWrite::kDeleteRow:
        break;
    }
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
      return ProgramError("TYPE", fmt::format("a cell's time cannot be {}", TypeName(time.type())));
    }
    if (time.integer() == kServerTime) {
      return ProgramError("RANGE", fmt::format("{} is no cell time", time.integer()));
    }
    *time_us = time.integer();
    return OkStatus();
  }

  // A delete further down in the same update also takes what was set before it.
  void NoteSet(const RowWrite& write, int64_t time_us) {
    if (!deletes_) return;
    auto same = [&](const ColumnVersions& column) {
      return column.family == write.family && column.qualifier == write.qualifier;
    };
    auto column = std::find_if(columns_.begin(), columns_.end(), same);
    if (column == columns_.end()) {
      column = columns_.insert(columns_.end(), {write.family, write.qualifier, {}});
    }
    column->times_us.push_back(time_us);
  }

  std::string ColumnName(const RowWrite& write) const {
    return fmt::format("{}:{}", write.family, PrintEscaped(write.qualifier));
  }

  bool IsCounter(const std::string& family) const {
    return std::find(update_.counter_families.begin(), update_.counter_families.end(), family) !=
           update_.counter_families.end();
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
    NoteSet(write, time_us == kServerTime ? now_us_ : time_us);
    if (write.kind == RowWrite::kIncrement) {
      if (value.type() != ValueType::kInt64) return WrongType(write, value, "an INT64 to add");
      plan_.mutation.Increment(write.family, write.qualifier, value.integer(), time_us);
      return OkStatus();
    }
    if (IsCounter(write.family) && write.kind == RowWrite::kSet) {
      bool raw = value.type() == ValueType::kBytes && value.bytes().size() == 8;
      if (value.type() != ValueType::kInt64 && !raw) {
        return WrongType(write, value, "an INT64 (its family is a COUNTER)");
      }
      plan_.mutation.Set(write.family, write.qualifier,
                         raw ? value.bytes() : EncodeInt64(value.integer()), time_us);
      return OkStatus();
    }
    if (!value.is_string()) {
      return WrongType(write, value, "TEXT or BYTES; TEXT(x) writes digits, BYTES(x) 8 bytes");
    }
    if (write.kind == RowWrite::kSet) {
      plan_.mutation.Set(write.family, write.qualifier, value.bytes(), time_us);
    } else {
      plan_.mutation.Append(write.family, write.qualifier, value.bytes(), time_us);
    }
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
    for (const ColumnVersions& column : columns_) {
      if (!matcher->Matches(column.family, column.qualifier)) continue;
      uint64_t deleted = 0;
      for (const TimeRange& time : times) {
        auto inside = [&](int64_t time_us) { return time.Contains(time_us); };
        auto count = std::count_if(column.times_us.begin(), column.times_us.end(), inside);
        if (count == 0) continue;
        deleted += static_cast<uint64_t>(count);
        plan_.mutation.DeleteColumn(column.family, column.qualifier, time);
      }
      plan_.result.cells_deleted += deleted;
      if (deleted > 0) ++plan_.result.columns_deleted;
    }
    return OkStatus();
  }

  Status AddFamilyDelete(const RowWrite& write) {
    uint64_t columns = 0;
    for (const ColumnVersions& column : columns_) {
      if (column.family != write.family) continue;
      ++columns;
      plan_.result.cells_deleted += column.times_us.size();
    }
    plan_.result.columns_deleted += columns;
    if (columns > 0) plan_.mutation.DeleteFamily(write.family);
    return OkStatus();
  }

  const RowUpdate& update_;
  const int64_t now_us_;
  bool deletes_ = false;  // some write of the update deletes
  std::unique_ptr<RowSlots> slots_;
  std::vector<ColumnVersions> columns_;
  RowUpdatePlan plan_;
};

}  // namespace

StatusOr<RowUpdatePlan> PlanRowUpdate(const RowUpdate& update, CellStream* row_before,
                                      int64_t now_us) {
  return Planner(update, now_us).Plan(row_before);
}

Status FinishRowUpdate(const RowUpdate& update, CellStream* row_after, RowUpdateResult* result) {
  if (update.returning.empty() || !result->applied) return OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<RowSlots> slots,
                   RowSlots::Make(update.slots, update.read.columns, update.counter_families));
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
