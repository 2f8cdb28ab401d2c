// Where the cells of a row go while they pass a row filter: each step of a filter is a sink that
// feeds the next one. Not thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/model/cell.h"

namespace sippar::engine {

struct FilteredCell {
  CellView cell;           // lives until the call it is given in returns
  std::string_view label;  // "" = none; lives as long as the filter
  uint64_t position = 0;   // of the stored cell in its row: copies of one cell share it
};

// Called as (BeginRow Put* EndRow)*, positions not falling within a row. A row may be given up
// without its EndRow.
class CellSink {
 public:
  virtual ~CellSink() = default;
  virtual void BeginRow(std::string_view row) = 0;  // `row` lives until EndRow
  virtual void Put(const FilteredCell& cell) = 0;
  virtual void EndRow() = 0;
  // True: nothing that is put in this row any more can change the result.
  virtual bool IsSated() const = 0;
  // True while cells are held back that may still come: what others give meanwhile must wait, so
  // that results stay in order.
  virtual bool IsPending() const { return false; }
};

}  // namespace sippar::engine
