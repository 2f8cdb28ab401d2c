// The steps that contain other filters, and FilterRun.
// SPDX-License-Identifier: Apache-2.0
#include "engine/read/run_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "engine/base/printable.h"
#include "engine/read/filter_steps.h"

namespace sippar::engine {
namespace {

// Copies of cells, kept while the stream moves on.
class HeldCells {
 public:
  explicit HeldCells(HeldBytes* bytes) : bytes_(bytes) {}

  void Add(const FilteredCell& cell) {
    const size_t size = SizeOf(cell.cell);
    if (!bytes_->Take(size)) return;  // no room is left: RunRow fails the row
    own_bytes_ += size;
    cells_.push_back({Cell(cell.cell), cell.label, cell.position});
  }
  bool empty() const { return cells_.empty(); }
  uint64_t front_position() const { return cells_.front().position; }  // Requires: !empty()
  // Gives the cell's bytes back before it passes the cell on, because the next step may hold the
  // cell too and count the same bytes.
  void PutFront(CellSink* out) {
    Held first = std::move(cells_.front());
    cells_.pop_front();
    const size_t size = SizeOf(first.cell.view());
    bytes_->now -= size;
    own_bytes_ -= size;
    out->Put({first.cell.view(), first.label, first.position});
  }
  void Clear() {
    cells_.clear();
    bytes_->now -= std::exchange(own_bytes_, 0);
  }

 private:
  struct Held {
    Cell cell;
    std::string_view label;
    uint64_t position = 0;
  };
  static size_t SizeOf(const CellView& cell) {
    return sizeof(Held) + cell.row.size() + cell.family.size() + cell.qualifier.size() +
           cell.value.size();
  }
  HeldBytes* bytes_;
  size_t own_bytes_ = 0;  // bytes of the cells in cells_
  std::deque<Held> cells_;
};

// Merges several inputs into one output, in order of position, then of input. While an input may
// still produce a cell of an earlier position, all cells wait.
class Merge {
 public:
  Merge(CellSink* out, size_t inputs, HeldBytes* bytes) : out_(out) {
    for (size_t i = 0; i < inputs; ++i) ports_.push_back(std::make_unique<Port>(this, bytes));
  }
  CellSink* port(size_t i) { return ports_[i].get(); }
  bool is_holding() const { return is_holding_; }
  void Begin(bool hold) {
    for (auto& each : ports_) each->held.Clear();
    is_holding_ = hold;
  }
  // Passes on all held cells, and from now on every cell at once.
  void Release() {
    is_holding_ = false;
    for (;;) {
      Port* first = nullptr;
      for (auto& each : ports_) {
        if (each->held.empty()) continue;
        if (first == nullptr || each->held.front_position() < first->held.front_position()) {
          first = each.get();
        }
      }
      if (first == nullptr) return;
      first->held.PutFront(out_);
    }
  }

 private:
  struct Port final : CellSink {
    Port(Merge* owner, HeldBytes* bytes) : merge(owner), held(bytes) {}
    void BeginRow(std::string_view) override {}
    void Put(const FilteredCell& cell) override {
      if (merge->is_holding_) {
        held.Add(cell);
      } else {
        merge->out_->Put(cell);
      }
    }
    void EndRow() override {}
    bool IsSated() const override { return merge->out_->IsSated(); }
    Merge* merge;
    HeldCells held;
  };
  CellSink* out_;
  std::vector<std::unique_ptr<Port>> ports_;
  bool is_holding_ = false;
};

class InterleaveStep final : public FilterStep {
 public:
  InterleaveStep(CellSink* out, size_t branches, HeldBytes* bytes)
      : FilterStep(out), merge_(out, branches, bytes) {}
  CellSink* port(size_t i) { return merge_.port(i); }
  void AddBranch(CellSink* entry) { branches_.push_back(entry); }

  void BeginRow(std::string_view row) override {
    FilterStep::BeginRow(row);
    for (CellSink* branch : branches_) branch->BeginRow(row);
    // AnyPending is called after BeginRow of the branches, because BeginRow may already decide a
    // condition, which then holds no cells back.
    merge_.Begin(AnyPending());
  }
  void Put(const FilteredCell& cell) override {
    for (CellSink* branch : branches_) branch->Put(cell);
    if (merge_.is_holding() && !AnyPending()) merge_.Release();
  }
  void EndRow() override {
    // Conditions inside the branches decide here at the latest, so the merge has all cells only
    // when every branch has ended.
    for (CellSink* branch : branches_) branch->EndRow();
    merge_.Release();
    FilterStep::EndRow();
  }
  bool IsSated() const override {
    return std::all_of(branches_.begin(), branches_.end(),
                       [](const CellSink* branch) { return branch->IsSated(); });
  }
  bool IsPending() const override { return AnyPending() || FilterStep::IsPending(); }

 private:
  bool AnyPending() const {
    return std::any_of(branches_.begin(), branches_.end(),
                       [](const CellSink* branch) { return branch->IsPending(); });
  }
  std::vector<CellSink*> branches_;
  Merge merge_;
};

// Runs both branches until the predicate is decided, and holds their cells until then.
class ConditionStep final : public FilterStep {
 public:
  ConditionStep(CellSink* out, HeldBytes* bytes)
      : FilterStep(out), if_true_(out, 1, bytes), if_false_(out, 1, bytes) {}
  CellSink* predicate_port() { return &predicate_out_; }
  CellSink* true_port() { return if_true_.port(0); }
  CellSink* false_port() { return if_false_.port(0); }
  void SetEntries(CellSink* predicate, CellSink* on_true, CellSink* on_false) {
    predicate_ = predicate;
    on_true_ = on_true;
    on_false_ = on_false;
  }

  void BeginRow(std::string_view row) override {
    FilterStep::BeginRow(row);
    predicate_out_.is_hit = false;
    chosen_ = nullptr;
    predicate_->BeginRow(row);
    on_true_->BeginRow(row);
    on_false_->BeginRow(row);
    if_true_.Begin(true);
    if_false_.Begin(true);
    DecideEarly();
  }
  void Put(const FilteredCell& cell) override {
    if (chosen_ == nullptr) {
      predicate_->Put(cell);
      DecideEarly();
    }
    if (chosen_ != nullptr) return chosen_->Put(cell);
    on_true_->Put(cell);
    on_false_->Put(cell);
  }
  void EndRow() override {
    if (chosen_ == nullptr) {
      predicate_->EndRow();
      Choose(predicate_out_.is_hit);
    }
    chosen_->EndRow();
    FilterStep::EndRow();
  }
  // An undecided condition is never sated: it needs more cells to decide.
  bool IsSated() const override { return chosen_ != nullptr && chosen_->IsSated(); }
  bool IsPending() const override {
    return chosen_ == nullptr || chosen_->IsPending() || FilterStep::IsPending();
  }

 private:
  struct Hit final : CellSink {
    void BeginRow(std::string_view) override {}
    void Put(const FilteredCell&) override { is_hit = true; }
    void EndRow() override {}
    bool IsSated() const override { return is_hit; }
    bool is_hit = false;
  };
  void DecideEarly() {
    if (predicate_out_.is_hit) {
      Choose(true);
    } else if (predicate_->IsSated() && !predicate_->IsPending()) {
      Choose(false);
    }
  }
  void Choose(bool is_true) {
    chosen_ = is_true ? on_true_ : on_false_;
    (is_true ? if_false_ : if_true_).Begin(true);  // drops the cells of the other branch
    (is_true ? if_true_ : if_false_).Release();
  }

  Hit predicate_out_;
  Merge if_true_, if_false_;
  CellSink* predicate_ = nullptr;
  CellSink* on_true_ = nullptr;
  CellSink* on_false_ = nullptr;
  CellSink* chosen_ = nullptr;
};

Status TooMuchHeld(std::string_view row, size_t max) {
  return FailedPrecondition(
      fmt::format("row '{}': more than {} bytes of its cells must be kept in memory until a "
                  "condition filter is decided; read fewer "
                  "columns or versions",
                  PrintableBytes(row), max));
}

size_t CountSinks(const RowFilter& filter) {
  size_t count = filter.kind == RowFilter::kSink ? 1 : 0;
  for (const RowFilter& inner : filter.filters) count += CountSinks(inner);
  return count;
}

// In the API, cells that reach a sink go to the result and skip all later filters. So the next step
// gets only the beginning and the end of the row.
class SinkStep final : public FilterStep {
 public:
  SinkStep(CellSink* out, CellSink* result) : FilterStep(out), result_(result) {}
  void Put(const FilteredCell& cell) override { result_->Put(cell); }
  bool IsSated() const override { return result_->IsSated(); }

 private:
  CellSink* result_;
};

// Does not pass EndRow on to the result. FilterRun::RunRow ends the row instead, after it has
// checked that no cell was dropped for lack of room (HeldBytes): a row with missing cells must not
// be returned.
class OpenEnd final : public FilterStep {
 public:
  using FilterStep::FilterStep;
  void EndRow() override {}
};

}  // namespace

// Builds the steps from the last to the first, since each needs the step it feeds.
class FilterBuilder {
 public:
  FilterBuilder(FilterRun* run, CellSink* result, uint64_t seed)
      : run_(run), result_(result), seed_(seed) {}

  static std::unique_ptr<FilterRun> NewRun() { return std::unique_ptr<FilterRun>(new FilterRun()); }

  // With sinks, the result gets cells from the last filter and from each sink. They are merged in
  // order, like the branches of an interleave. Each sink is an input (port) of its own, because a
  // condition may delay the cells of one sink and not those of another.
  Status BuildAll(const RowFilter& filter) {
    // Conditions and sinks hold cells back, and drop some if they lack room. So these steps do not
    // end the row (OpenEnd): RunRow ends it after it has checked that no cell was dropped.
    if (filter.Has(RowFilter::kCondition) || filter.Has(RowFilter::kSink)) {
      run_->result_ = result_;
      result_ = Own(std::make_unique<OpenEnd>(result_));
    }
    if (!filter.Has(RowFilter::kSink)) {
      ASSIGN_OR_RETURN(run_->entry_, Build(filter, result_));
      return OkStatus();
    }
    result_merge_ =
        Own(std::make_unique<InterleaveStep>(result_, 1 + CountSinks(filter), &run_->held_));
    ASSIGN_OR_RETURN(CellSink * entry, Build(filter, result_merge_->port(0)));
    result_merge_->AddBranch(entry);
    run_->entry_ = result_merge_;
    return OkStatus();
  }

 private:
  template <typename Step>
  Step* Own(std::unique_ptr<Step> step) {
    Step* raw = step.get();
    run_->steps_.push_back(std::move(step));
    return raw;
  }

  StatusOr<CellSink*> Build(const RowFilter& filter, CellSink* out) {
    switch (filter.kind) {
      case RowFilter::kPassAll:
        return out;
      case RowFilter::kChain:
        for (auto link = filter.filters.rbegin(); link != filter.filters.rend(); ++link) {
          ASSIGN_OR_RETURN(out, Build(*link, out));
        }
        return out;
      case RowFilter::kInterleave:
        return BuildInterleave(filter, out);
      case RowFilter::kCondition:
        return BuildCondition(filter, out);
      case RowFilter::kSink:
        // Port 0 receives the cells that leave the last filter (BuildAll).
        return Own(std::make_unique<SinkStep>(out, result_merge_->port(++sinks_)));
      case RowFilter::kBlockAll:
      case RowFilter::kRowSample:
      case RowFilter::kRowKeyRegex:
      case RowFilter::kFamilyRegex:
      case RowFilter::kQualifierRegex:
      case RowFilter::kValueRegex:
      case RowFilter::kColumnRange:
      case RowFilter::kValueRange:
      case RowFilter::kTimeRange:
      case RowFilter::kRowOffset:
      case RowFilter::kRowLimit:
      case RowFilter::kColumnLimit:
      case RowFilter::kStripValue:
      case RowFilter::kLabel:
      case RowFilter::kValueBitmask:
        break;
    }
    // Two samples of one filter choose independently. With one seed they would keep the same rows.
    ASSIGN_OR_RETURN(std::unique_ptr<CellSink> step, NewFilterStep(filter, out, ++seed_));
    return Own(std::move(step));
  }

  StatusOr<CellSink*> BuildInterleave(const RowFilter& filter, CellSink* out) {
    auto* step = Own(std::make_unique<InterleaveStep>(out, filter.filters.size(), &run_->held_));
    for (size_t i = 0; i < filter.filters.size(); ++i) {
      ASSIGN_OR_RETURN(CellSink * entry, Build(filter.filters[i], step->port(i)));
      step->AddBranch(entry);
    }
    return step;
  }

  StatusOr<CellSink*> BuildCondition(const RowFilter& filter, CellSink* out) {
    auto* step = Own(std::make_unique<ConditionStep>(out, &run_->held_));
    ASSIGN_OR_RETURN(CellSink * predicate, Build(filter.filters[0], step->predicate_port()));
    ASSIGN_OR_RETURN(CellSink * on_true, Build(filter.filters[1], step->true_port()));
    ASSIGN_OR_RETURN(CellSink * on_false, Build(filter.filters[2], step->false_port()));
    step->SetEntries(predicate, on_true, on_false);
    return step;
  }

  FilterRun* run_;
  CellSink* result_;
  uint64_t seed_;
  InterleaveStep* result_merge_ = nullptr;
  size_t sinks_ = 0;
};

FilterRun::~FilterRun() = default;

StatusOr<std::unique_ptr<FilterRun>> FilterRun::Compile(const RowFilter& filter, CellSink* out,
                                                        uint64_t seed, size_t held_max) {
  RETURN_IF_ERROR(filter.Validate());
  std::unique_ptr<FilterRun> run = FilterBuilder::NewRun();
  run->held_.max = held_max;
  RETURN_IF_ERROR(FilterBuilder(run.get(), out, seed).BuildAll(filter));
  return run;
}

Status FilterRun::RunRow(CellStream* cells, uint64_t* cells_seen) {
  row_ = cells->cell().row;  // a copy, since the stream moves on while the steps use the key
  held_.is_over = false;
  entry_->BeginRow(row_);
  for (uint64_t position = 0; cells->Valid() && cells->cell().row == row_; ++position) {
    // The rest of the row cannot change the result: NextRow skips it with a seek instead of reading
    // it.
    if (entry_->IsSated() && !entry_->IsPending()) {
      cells->NextRow();
      break;
    }
    ++*cells_seen;
    entry_->Put({cells->cell(), {}, position});
    if (held_.is_over) return TooMuchHeld(row_, held_.max);
    cells->Next();
  }
  RETURN_IF_ERROR(cells->status());
  entry_->EndRow();
  // At the end of the row one step may release more cells than the next step can hold.
  if (held_.is_over) return TooMuchHeld(row_, held_.max);
  if (result_ != nullptr) result_->EndRow();
  return OkStatus();
}

}  // namespace sippar::engine
