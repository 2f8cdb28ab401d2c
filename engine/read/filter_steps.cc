// SPDX-License-Identifier: Apache-2.0
#include "engine/read/filter_steps.h"

#include <fmt/format.h>

#include <string>

#include "engine/base/random.h"
#include "engine/model/whole_regex.h"

namespace sippar::engine {
namespace {

using Regex = std::shared_ptr<const WholeRegex>;

// Passes the rows for which Keep is true.
template <typename Keep>
class RowStep final : public FilterStep {
 public:
  RowStep(CellSink* out, Keep keep) : FilterStep(out), keep_(std::move(keep)) {}
  void BeginRow(std::string_view row) override {
    // Decided once a row: a sample keeps or drops the whole row.
    kept_ = keep_(row);
    FilterStep::BeginRow(row);
  }
  void Put(const FilteredCell& cell) override {
    if (kept_) out_->Put(cell);
  }
  bool IsSated() const override { return !kept_ || out_->IsSated(); }

 private:
  Keep keep_;
  bool kept_ = false;
};

// Passes the cells for which Keep is true.
template <typename Keep>
class CellStep final : public FilterStep {
 public:
  CellStep(CellSink* out, Keep keep) : FilterStep(out), keep_(std::move(keep)) {}
  void Put(const FilteredCell& cell) override {
    if (keep_(cell.cell)) out_->Put(cell);
  }

 private:
  Keep keep_;
};

// Matches a regex against names. Equal names follow each other, so the regex is evaluated once for
// each run of equal names.
class NameStep final : public FilterStep {
 public:
  NameStep(CellSink* out, Regex regex, std::string_view CellView::*name)
      : FilterStep(out), regex_(std::move(regex)), name_(name) {}
  void BeginRow(std::string_view row) override {
    is_known_ = false;
    FilterStep::BeginRow(row);
  }
  void Put(const FilteredCell& cell) override {
    std::string_view name = cell.cell.*name_;
    if (!is_known_ || name != last_) {
      // Copies the name, because the cell is valid only during this call.
      last_ = name;
      is_known_ = true;
      found_ = regex_->Matches(name);
    }
    if (found_) out_->Put(cell);
  }

 private:
  Regex regex_;
  std::string_view CellView::*name_;
  std::string last_;
  bool is_known_ = false;
  bool found_ = false;
};

class RowOffsetStep final : public FilterStep {
 public:
  RowOffsetStep(CellSink* out, uint32_t count) : FilterStep(out), count_(count) {}
  void BeginRow(std::string_view row) override {
    seen_ = 0;
    FilterStep::BeginRow(row);
  }
  void Put(const FilteredCell& cell) override {
    if (seen_ < count_) {
      ++seen_;
    } else {
      out_->Put(cell);
    }
  }

 private:
  const uint32_t count_;
  uint32_t seen_ = 0;
};

class RowLimitStep final : public FilterStep {
 public:
  RowLimitStep(CellSink* out, uint32_t count) : FilterStep(out), count_(count) {}
  void BeginRow(std::string_view row) override {
    seen_ = 0;
    FilterStep::BeginRow(row);
  }
  void Put(const FilteredCell& cell) override {
    if (seen_ >= count_) return;
    ++seen_;
    out_->Put(cell);
  }
  // Lets the read skip the rest of the row.
  bool IsSated() const override { return seen_ >= count_ || out_->IsSated(); }

 private:
  const uint32_t count_;
  uint32_t seen_ = 0;
};

class ColumnLimitStep final : public FilterStep {
 public:
  ColumnLimitStep(CellSink* out, uint32_t count) : FilterStep(out), count_(count) {}
  void BeginRow(std::string_view row) override {
    is_known_ = false;
    FilterStep::BeginRow(row);
  }
  void Put(const FilteredCell& cell) override {
    // Compares the qualifier first: it differs more often than the family.
    if (!is_known_ || cell.cell.qualifier != qualifier_ || cell.cell.family != family_) {
      family_ = cell.cell.family;
      qualifier_ = cell.cell.qualifier;
      is_known_ = true;
      seen_ = 0;
    }
    if (seen_ >= count_) return;
    ++seen_;
    out_->Put(cell);
  }

 private:
  const uint32_t count_;
  std::string family_, qualifier_;
  bool is_known_ = false;
  uint32_t seen_ = 0;
};

// Passes every cell in a changed form.
template <typename Change>
class ChangeStep final : public FilterStep {
 public:
  ChangeStep(CellSink* out, Change change) : FilterStep(out), change_(std::move(change)) {}
  void Put(const FilteredCell& cell) override {
    FilteredCell changed = cell;
    change_(&changed);
    out_->Put(changed);
  }

 private:
  Change change_;
};

class BlockStep final : public FilterStep {
 public:
  using FilterStep::FilterStep;
  void Put(const FilteredCell&) override {}
  bool IsSated() const override { return true; }
};

bool HasBits(std::string_view value, std::string_view mask) {
  if (value.size() != mask.size()) return false;
  for (size_t i = 0; i < mask.size(); ++i) {
    if ((value[i] & mask[i]) != mask[i]) return false;
  }
  return true;
}

template <template <typename> typename Step, typename Rule>
std::unique_ptr<CellSink> NewStep(CellSink* out, Rule rule) {
  return std::make_unique<Step<Rule>>(out, std::move(rule));
}

// A function that returns true with `probability`, from 53 random bits: as many as a double holds
// exactly.
auto Sample(double probability, uint64_t seed) {
  return [random = Random(seed), probability](std::string_view) mutable {
    return static_cast<double>(random.Next() >> 11) * 0x1p-53 < probability;
  };
}

StatusOr<std::unique_ptr<CellSink>> NewRegexStep(const RowFilter& filter, CellSink* out) {
  ASSIGN_OR_RETURN(Regex regex, WholeRegex::Compile(filter.text));
  switch (filter.kind) {
    case RowFilter::kRowKeyRegex:
      return NewStep<RowStep>(out, [regex](std::string_view row) { return regex->Matches(row); });
    case RowFilter::kFamilyRegex:
      return std::unique_ptr<CellSink>(new NameStep(out, std::move(regex), &CellView::family));
    case RowFilter::kQualifierRegex:
      return std::unique_ptr<CellSink>(new NameStep(out, std::move(regex), &CellView::qualifier));
    default:
      return NewStep<CellStep>(out, [regex](const CellView& c) { return regex->Matches(c.value); });
  }
}

}  // namespace

StatusOr<std::unique_ptr<CellSink>> NewFilterStep(const RowFilter& filter, CellSink* out,
                                                  uint64_t seed) {
  switch (filter.kind) {
    case RowFilter::kBlockAll:
      return std::unique_ptr<CellSink>(new BlockStep(out));
    case RowFilter::kRowSample:
      return NewStep<RowStep>(out, Sample(filter.probability, seed));
    case RowFilter::kRowKeyRegex:
    case RowFilter::kFamilyRegex:
    case RowFilter::kQualifierRegex:
    case RowFilter::kValueRegex:
      return NewRegexStep(filter, out);
    case RowFilter::kColumnRange:
      return NewStep<CellStep>(out,
                               [family = filter.text, range = filter.range](const CellView& cell) {
                                 return cell.family == family && range.Contains(cell.qualifier);
                               });
    case RowFilter::kValueRange:
      return NewStep<CellStep>(
          out, [range = filter.range](const CellView& cell) { return range.Contains(cell.value); });
    case RowFilter::kTimeRange:
      return NewStep<CellStep>(out, [time = filter.time](const CellView& cell) {
        return time.Contains(cell.timestamp_us);
      });
    case RowFilter::kRowOffset:
      return std::unique_ptr<CellSink>(new RowOffsetStep(out, filter.count));
    case RowFilter::kRowLimit:
      return std::unique_ptr<CellSink>(new RowLimitStep(out, filter.count));
    case RowFilter::kColumnLimit:
      return std::unique_ptr<CellSink>(new ColumnLimitStep(out, filter.count));
    case RowFilter::kStripValue:
      return NewStep<ChangeStep>(out, [](FilteredCell* cell) { cell->cell.value = {}; });
    case RowFilter::kLabel:
      // The copies of this function share one label, because cells keep views of it.
      return NewStep<ChangeStep>(out, [label = std::make_shared<const std::string>(filter.text)](
                                          FilteredCell* cell) { cell->label = *label; });
    case RowFilter::kValueBitmask:
      return NewStep<CellStep>(
          out, [mask = filter.text](const CellView& cell) { return HasBits(cell.value, mask); });
    case RowFilter::kPassAll:
    case RowFilter::kChain:
    case RowFilter::kInterleave:
    case RowFilter::kCondition:
    case RowFilter::kSink:
      break;
  }
  return Internal(fmt::format("filter of kind {} is not a single step; this is a bug in sippar",
                              int{filter.kind}));
}

}  // namespace sippar::engine
