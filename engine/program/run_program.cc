// The loop over rows or cells: slots, WHERE, outputs or aggregates, batches.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/run_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/stop_budget.h"
#include "engine/base/stoppable_sort.h"
#include "engine/program/group_by.h"
#include "engine/program/program_error.h"
#include "engine/program/row_slots.h"

namespace sippar::engine {
namespace {

// Work that a row adds to the StopBudget; its expressions add their own.
constexpr uint64_t kRowWork = 1024;
// After so many rows or cells a batch is emitted, even an empty one, to report progress.
constexpr uint64_t kProgressEvery = 20'000;
// Progress is also reported after this time without a batch, because rows may be slow.
constexpr int64_t kSilentNanos = 200'000'000;
// A full batch ends at the end of a row, so that another server can continue after it. In a row
// with very many cells it ends earlier, once it is this many times larger than other batches.
constexpr size_t kOverfull = 4;

// Processes the rows that pass WHERE; one class for each kind of program.
class Mode {
 public:
  virtual ~Mode() = default;
  virtual Status Add(const RowSlots& slots) = 0;
  // True if the batch has reached the usual limit of rows or bytes, multiplied by `times`.
  virtual bool Full(size_t /*times*/) const { return false; }
  // Returns the rows of the batch and begins a new batch.
  virtual std::vector<Row> TakeRows() = 0;
  // Adds the rows that are known only at the end.
  virtual Status Finish(std::vector<Row>*, StopBudget*) { return OkStatus(); }
};

class OutputMode final : public Mode {
 public:
  Status Prepare(const Program& program, const StopSignal& stop) {
    return PrepareAll(program.outputs, stop, &outputs_);
  }
  Status Add(const RowSlots& slots) override {
    Row& row = rows_.emplace_back();
    row.reserve(outputs_.size());
    for (const auto& output : outputs_) {
      const Value* value = nullptr;
      RETURN_IF_ERROR(output->Evaluate(slots.values(), &slots, &value));
      bytes_ += value->MemoryBytes();
      row.push_back(*value);
    }
    return OkStatus();
  }
  bool Full(size_t times) const override {
    return rows_.size() >= kBatchRowsMax * times || bytes_ >= kBatchBytesMax * times;
  }
  std::vector<Row> TakeRows() override {
    bytes_ = 0;
    return std::exchange(rows_, {});
  }

 private:
  Evaluators outputs_;
  std::vector<Row> rows_;
  size_t bytes_ = 0;
};

// Keeps the first `limit` rows by the order keys; rows with equal keys keep the order of the scan.
// The rows are in a heap, so that the memory depends on the limit and not on the size of the table.
class TopMode final : public Mode {
 public:
  explicit TopMode(const Program& program) : limit_(program.limit) {
    for (const OrderKey& key : program.order_by) descending_.push_back(key.descending);
  }
  Status Prepare(const Program& program, const StopSignal& stop) {
    RETURN_IF_ERROR(PrepareAll(program.outputs, stop, &outputs_));
    std::vector<Expression> keys;
    for (const OrderKey& key : program.order_by) keys.push_back(key.expression);
    return PrepareAll(keys, stop, &keys_);
  }
  Status Add(const RowSlots& slots) override {
    present_.clear();
    for (const auto& key : keys_) {
      const Value* value = nullptr;
      RETURN_IF_ERROR(key->Evaluate(slots.values(), &slots, &value));
      present_.push_back(value);
    }
    ++count_;
    bool full = limit_ != 0 && heap_.size() >= limit_;
    // Most rows end here without a copy. A row whose keys equal those of the last kept row comes
    // after it.
    if (full && OrderOfPresent(heap_.front()) >= 0) return OkStatus();
    return Keep(slots, full);
  }
  std::vector<Row> TakeRows() override { return {}; }
  Status Finish(std::vector<Row>* rows, StopBudget* budget) override {
    auto before = [this](const Entry& a, const Entry& b) { return Before(a, b); };
    RETURN_IF_ERROR(StoppableSort(&heap_, budget, before));
    for (Entry& entry : heap_) {
      Row& row = rows->emplace_back(std::move(entry.outputs));
      for (Value& key : entry.keys) row.push_back(std::move(key));
    }
    return OkStatus();
  }

 private:
  struct Entry {
    Row keys;
    Row outputs;
    uint64_t number = 0;
  };
  // Adds the row whose keys are in present_. If the heap is full, the row replaces the last one.
  Status Keep(const RowSlots& slots, bool full) {
    Entry entry;
    for (const Value* key : present_) entry.keys.push_back(*key);
    entry.number = count_;
    for (const auto& output : outputs_) {
      const Value* value = nullptr;
      RETURN_IF_ERROR(output->Evaluate(slots.values(), &slots, &value));
      entry.outputs.push_back(*value);
    }
    auto before = [this](const Entry& a, const Entry& b) { return Before(a, b); };
    if (full) {
      std::pop_heap(heap_.begin(), heap_.end(), before);
      bytes_ -= SizeOf(heap_.back());
      heap_.pop_back();
    }
    bytes_ += SizeOf(entry);
    if (bytes_ > kTopBytesMax) {
      return ProgramError("TOO_LARGE",
                          fmt::format("sorting for the first {} rows needs more than {} MiB",
                                      limit_, kTopBytesMax >> 20),
                          "a smaller LIMIT, or fewer columns", StatusCode::kResourceExhausted);
    }
    heap_.push_back(std::move(entry));
    std::push_heap(heap_.begin(), heap_.end(), before);
    return OkStatus();
  }
  static size_t SizeOf(const Entry& entry) {
    size_t size = sizeof(Entry);
    for (const Row* row : {&entry.keys, &entry.outputs}) {
      for (const Value& value : *row) size += value.MemoryBytes();
    }
    return size;
  }
  // Returns a number below 0 if the row whose keys are in present_ comes before `entry`, 0 if their
  // keys are equal.
  int OrderOfPresent(const Entry& entry) const {
    for (size_t i = 0; i < descending_.size(); ++i) {
      int order = CompareValues(*present_[i], entry.keys[i]);
      if (order != 0) return descending_[i] ? -order : order;
    }
    return 0;
  }
  bool Before(const Entry& a, const Entry& b) const {
    for (size_t i = 0; i < descending_.size(); ++i) {
      int order = CompareValues(a.keys[i], b.keys[i]);
      if (order != 0) return (order < 0) != descending_[i];
    }
    return a.number < b.number;
  }

  uint64_t limit_;
  std::vector<bool> descending_;
  Evaluators outputs_, keys_;
  std::vector<const Value*> present_;  // the keys of the current row
  std::vector<Entry> heap_;            // heap with the last row in the order at its front
  uint64_t count_ = 0;
  size_t bytes_ = 0;
};

class AggregateMode final : public Mode {
 public:
  explicit AggregateMode(const Program& program)
      : program_(program), groups_(program.group_by.size(), program.aggregates) {}
  Status Prepare(const StopSignal& stop) { return groups_.Prepare(program_.group_by, stop); }
  bool CountsRowsOnly() const {
    for (const AggregateDef& def : program_.aggregates) {
      if (def.kind != AggregateDef::kCountRows) return false;
    }
    return program_.group_by.empty() && !program_.where;
  }
  void AddRows(uint64_t count) { groups_.AddRows(count); }
  Status Add(const RowSlots& slots) override { return groups_.Add(slots.values(), &slots); }
  std::vector<Row> TakeRows() override { return {}; }
  Status Finish(std::vector<Row>* rows, StopBudget* budget) override {
    for (const auto& group : groups_.groups()) {
      RETURN_IF_ERROR(budget->Spend(kRowWork));
      rows->push_back(group->Partial());
    }
    return OkStatus();
  }

 private:
  const Program& program_;
  GroupBy groups_;
};

class Run {
 public:
  Run(const Program& program, CellStream* cells, const RunLimits& limits, ProgramSink* sink)
      : program_(program),
        cells_(cells),
        stop_{limits.cancel, limits.clock, limits.clock == nullptr ? 0 : limits.deadline_nanos},
        sink_(sink) {}

  Status Execute() {
    if (program_.source == Program::kEntries && cells_->Valid() && cells_->entry() == nullptr) {
      return Internal("row program: it takes stored entries, but gets the cells of a normal read");
    }
    ASSIGN_OR_RETURN(slots_,
                     RowSlots::Make(program_.slots, program_.read.columns, program_.families));
    if (program_.where) {
      ASSIGN_OR_RETURN(where_, Evaluator::Prepare(*program_.where, &stop_));
    }
    if (program_.aggregate) {
      AggregateMode mode(program_);
      RETURN_IF_ERROR(mode.Prepare(stop_));
      if (mode.CountsRowsOnly()) return CountOnly(&mode);
      return Scan(&mode, false);
    }
    if (!program_.order_by.empty()) {
      TopMode mode(program_);
      RETURN_IF_ERROR(mode.Prepare(program_, stop_));
      return Scan(&mode, false);
    }
    OutputMode mode;
    RETURN_IF_ERROR(mode.Prepare(program_, stop_));
    return Scan(&mode, program_.limit != 0);
  }

 private:
  bool Emit(std::vector<Row> rows) {
    ProgramBatch batch;
    batch.rows = std::move(rows);
    if (IsAtRowEnd()) batch.last_row = slots_->row();
    batch.rows_seen = std::exchange(rows_seen_, 0);
    batch.cells_seen = std::exchange(cells_seen_, 0);
    bool goes_on = sink_->Emit(std::move(batch));
    if (stop_.clock != nullptr) emitted_nanos_ = stop_.clock->MonotonicNanos();
    return goes_on;
  }

  Status CountOnly(AggregateMode* mode) {
    bool by_row = program_.source == Program::kRows;
    uint64_t batch_rows = 0;
    for (uint64_t count = 1; cells_->Valid(); ++count) {
      if (by_row) {
        cells_->NextRow();
      } else {
        cells_->Next();
      }
      ++batch_rows;
      RETURN_IF_ERROR(budget_.Spend(kRowWork));
      if (count % kProgressEvery != 0) continue;
      mode->AddRows(batch_rows);
      rows_seen_ = cells_seen_ = std::exchange(batch_rows, 0);
      if (!Emit({})) return OkStatus();
    }
    mode->AddRows(batch_rows);
    rows_seen_ = cells_seen_ = batch_rows;
    return End(mode);
  }

  bool IsAtRowEnd() const {
    return program_.source == Program::kRows || !cells_->Valid() ||
           cells_->cell().row != slots_->row();
  }

  bool IsSilent() const {
    return stop_.clock != nullptr && stop_.clock->MonotonicNanos() - emitted_nanos_ > kSilentNanos;
  }

  bool IsDue(const Mode& mode) const {
    return mode.Full(1) && (IsAtRowEnd() || mode.Full(kOverfull));
  }

  // Fills the slots from the next row or cell and moves the stream past it.
  void Step() {
    if (program_.source == Program::kRows) {
      cells_seen_ += slots_->ReadRow(cells_);
      ++rows_seen_;
      return;
    }
    const CellView& cell = cells_->cell();
    if (cell.row != slots_->row() || rows_seen_ == 0) ++rows_seen_;
    if (program_.source == Program::kEntries) {
      slots_->SetEntry(cell, *cells_->entry());
    } else {
      slots_->SetCell(cell);
    }
    ++cells_seen_;
    cells_->Next();
  }

  Status Scan(Mode* mode, bool limited) {
    uint64_t passed = 0;
    for (uint64_t count = 1; cells_->Valid(); ++count) {
      RETURN_IF_ERROR(budget_.Spend(kRowWork));
      Step();
      bool pass = true;
      if (where_ != nullptr) {
        RETURN_IF_ERROR(where_->EvaluateTest(slots_->values(), slots_.get(), &pass));
      }
      if (pass) {
        RETURN_IF_ERROR(mode->Add(*slots_));
        if (limited && ++passed == program_.limit) return End(mode);
      }
      if (!cells_->Valid()) break;  // the end, or an error in the middle of a row
      if (IsDue(*mode) || count % kProgressEvery == 0 || (count % 64 == 0 && IsSilent())) {
        if (!Emit(mode->TakeRows())) return OkStatus();
      }
    }
    return End(mode);
  }

  Status End(Mode* mode) {
    RETURN_IF_ERROR(cells_->status());
    RETURN_IF_ERROR(stop_.Check());
    std::vector<Row> rows = mode->TakeRows();
    RETURN_IF_ERROR(mode->Finish(&rows, &budget_));
    Emit(std::move(rows));
    return OkStatus();
  }

  const Program& program_;
  CellStream* cells_;
  const StopSignal stop_;
  StopBudget budget_{&stop_};
  int64_t emitted_nanos_ = stop_.clock == nullptr ? 0 : stop_.clock->MonotonicNanos();
  ProgramSink* sink_;
  std::unique_ptr<RowSlots> slots_;
  std::unique_ptr<Evaluator> where_;
  uint64_t rows_seen_ = 0, cells_seen_ = 0;
};

}  // namespace

Status RunProgram(const Program& program, CellStream* cells, const RunLimits& limits,
                  ProgramSink* sink) {
  return Run(program, cells, limits, sink).Execute();
}

}  // namespace sippar::engine
