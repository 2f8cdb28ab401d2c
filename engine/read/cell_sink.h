// Receives the cells of a row as they pass through a row filter: each step of a filter is a sink
// that feeds the next step. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/model/cell.h"

namespace sippar::engine {

struct FilteredCell {
  CellView cell;           // valid until the call that passes it returns
  std::string_view label;  // "" = none; valid while the filter lives
  uint64_t position = 0;   // index of the stored cell in its row; all its copies share it
};

// The order of calls is (BeginRow Put* EndRow)*; positions never decrease within a row. A row ends
// without its EndRow after an error, and in the filters of a condition whose cells are not needed.
class CellSink {
 public:
  virtual ~CellSink() = default;
  virtual void BeginRow(std::string_view row) = 0;  // `row` is valid until EndRow
  virtual void Put(const FilteredCell& cell) = 0;
  virtual void EndRow() = 0;
  // True when no further cell of this row can change the result.
  virtual bool IsSated() const = 0;
  // True while this step holds back cells that it may still pass on. Meanwhile the cells of other
  // branches must wait, so that results stay in order.
  virtual bool IsPending() const { return false; }
};

}  // namespace sippar::engine
