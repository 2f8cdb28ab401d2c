// The steps of a row filter that look at one cell or one row at a time and hold no cells back. Used
// by run_filter.cc. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/base/status.h"
#include "engine/read/cell_sink.h"
#include "engine/read/row_filter.h"

namespace sippar::engine {

// Forwards every cell. Base class of the steps that drop or change some.
class FilterStep : public CellSink {
 public:
  explicit FilterStep(CellSink* out) : out_(out) {}
  void BeginRow(std::string_view row) override { out_->BeginRow(row); }
  void Put(const FilteredCell& cell) override { out_->Put(cell); }
  void EndRow() override { out_->EndRow(); }
  bool IsSated() const override { return out_->IsSated(); }
  bool IsPending() const override { return out_->IsPending(); }

 protected:
  CellSink* const out_;
};

// Makes the step for a filter without inner filters, except kPassAll and kSink. `seed` is used by
// kRowSample.
[[nodiscard]] StatusOr<std::unique_ptr<CellSink>> NewFilterStep(const RowFilter& filter,
                                                                CellSink* out, uint64_t seed);

}  // namespace sippar::engine
