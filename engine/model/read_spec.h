// What to read: the one description of a read, from the query planner to the tablet.
// Order of work (LANGUAGE.md): row ranges, columns, deletes and GC rule, time range, versions per
// column, cells per family / row with offset. Plain data. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/model/cell.h"
#include "engine/model/column_pattern.h"
#include "engine/model/row_set.h"

namespace sippar::engine {

inline constexpr uint64_t kAnyValueSize = std::numeric_limits<uint64_t>::max();

// Which cells of the rows and columns.
struct CellLimits {
  TimeRange time;                    // after the GC rule; AS OF t is [min, t+1) with versions 1
  uint32_t versions_per_column = 0;  // newest first; 0 = all that the GC rule keeps
  uint64_t cells_per_family = 0;     // 0 = no limit
  uint64_t cells_per_family_offset = 0;
  uint64_t cells_per_row = 0;  // 0 = no limit
  uint64_t cells_per_row_offset = 0;
  bool reverse = false;       // rows downwards
  bool strip_values = false;  // values come as ""
  bool keys_only = false;     // one cell a row, value stripped
  // A larger value comes as "", and CellView::omitted_size is its size. It is not read where it
  // has a block of an SSTable for itself.
  uint64_t value_size_max = kAnyValueSize;
};

struct ReadSpec : CellLimits {
  RowSet rows = RowSet::All();
  std::vector<ColumnPattern> columns;  // empty: every column
};

}  // namespace sippar::engine
