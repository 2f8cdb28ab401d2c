// Runs a row filter over the cells of a stream, row by row, as they come. What has to wait for the
// rest of its row (a condition not yet decided) is held back, up to kFilterHeldMax.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/read/cell_sink.h"
#include "engine/read/row_filter.h"

namespace sippar::engine {

inline constexpr size_t kFilterHeldMax = 256 << 20;  // the largest row that has to be readable

// Bytes that the steps of one filter hold back together.
struct HeldBytes {
  size_t now = 0;
  bool is_over() const { return now > kFilterHeldMax; }
};

class FilterRun {
 public:
  // `out` gets each row that the stream has, with or without cells. `seed` is for row_sample.
  [[nodiscard]] static StatusOr<std::unique_ptr<FilterRun>> Compile(const RowFilter& filter,
                                                                    CellSink* out, uint64_t seed);
  ~FilterRun();

  // The row at which `cells` stands, through the filter to `out`; leaves `cells` at the next row.
  // Adds the cells looked at to *cells_seen. kFailedPrecondition: too much had to be held back.
  // After an error the row has no EndRow.
  [[nodiscard]] Status RunRow(CellStream* cells, uint64_t* cells_seen);

 private:
  FilterRun() = default;
  friend class FilterBuilder;

  std::vector<std::unique_ptr<CellSink>> steps_;
  CellSink* entry_ = nullptr;
  HeldBytes held_;
  std::string row_;
};

}  // namespace sippar::engine
