// Runs a row filter over the cells of a stream, row by row, as they come. Cells that must wait for
// the rest of their row (for a condition not yet decided) are held back, up to kFilterHeldMax. Not
// thread safe.
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

// The most bytes of cells that one filter holds back: as many as the largest row that must be
// readable has. Reading a row that needs more fails.
inline constexpr size_t kFilterHeldMax = 256 << 20;

// The bytes that all steps of one filter buffer, counted against one limit.
struct HeldBytes {
  size_t max = kFilterHeldMax;
  size_t now = 0;
  // True once a cell of this row did not fit and was dropped. The row then fails, even if other
  // cells are released afterwards.
  bool is_over = false;

  // Counts `size` bytes; returns false if they exceed the limit.
  bool Take(size_t size) {
    is_over |= now + size > max;
    if (!is_over) now += size;
    return !is_over;
  }
};

class FilterRun {
 public:
  // `out` receives each row of the stream, with or without cells. `seed` is used by kRowSample. At
  // most `held_max` bytes are held back.
  [[nodiscard]] static StatusOr<std::unique_ptr<FilterRun>> Compile(
      const RowFilter& filter, CellSink* out, uint64_t seed, size_t held_max = kFilterHeldMax);
  ~FilterRun();

  // Passes the current row of `cells` through the filter to `out` and moves `cells` to the next
  // row. Adds the number of cells read to *cells_seen. kFailedPrecondition: too many bytes had to
  // be held back. After an error `out` gets no EndRow for the row.
  [[nodiscard]] Status RunRow(CellStream* cells, uint64_t* cells_seen);

 private:
  FilterRun() = default;
  friend class FilterBuilder;

  std::vector<std::unique_ptr<CellSink>> steps_;
  CellSink* entry_ = nullptr;
  CellSink* result_ = nullptr;  // sink whose EndRow RunRow must call; null: a step calls it
  HeldBytes held_;
  std::string row_;
};

}  // namespace sippar::engine
