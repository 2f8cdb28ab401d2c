// The description of a read, which a client (the query planner, the Cloud Bigtable API, the mount
// …) creates and the tablet carries out. The tablet applies in this order (LANGUAGE.md): row
// ranges, columns, deletes and GC rule, time range, versions per column, cells per family and per
// row, each with its offset. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/model/cell.h"
#include "engine/model/column_pattern.h"
#include "engine/model/row_set.h"

namespace sippar::engine {

inline constexpr uint64_t kAnyValueSize = std::numeric_limits<uint64_t>::max();

// A part of each value: the bytes in [offset, offset + size), as far as the value has them.
struct ValuePart {
  uint64_t offset = 0;
  uint64_t size = kAnyValueSize;
  bool IsAll() const { return offset == 0 && size == kAnyValueSize; }
  bool operator==(const ValuePart&) const = default;
};

// What a read returns: the cells that exist, or the entries that are stored (read/entry_reader.h).
enum class ReadForm : uint8_t { kCells, kEntries };

// Which cells of the rows and columns are returned, and in what form.
struct CellLimits {
  // Times of the returned cells, applied after the GC rule. AS OF t lowers limit_us to t + 1 and,
  // if VERSIONS is not given, sets versions_per_column to 1.
  TimeRange time;
  uint32_t versions_per_column = 0;  // the newest n; 0 = all that the GC rule keeps
  uint32_t versions_offset = 0;      // newest versions of each column that are left out
  uint64_t cells_per_family = 0;     // 0 = no limit
  uint64_t cells_per_family_offset = 0;
  uint64_t cells_per_row = 0;  // 0 = no limit
  uint64_t cells_per_row_offset = 0;
  bool reverse = false;       // rows in descending order
  bool strip_values = false;  // every value is returned as ""
  bool keys_only = false;     // one cell per row, without its value
  // A larger value is returned as "", with its size in CellView::omitted_size. If the value is
  // alone in its SSTable block, the block is not even read.
  uint64_t value_size_max = kAnyValueSize;
  // The part of each value that is returned; CellView::omitted_size counts the other bytes. The
  // SSTable block of the value is read whole. A server of an earlier version returns whole values:
  // a value whose omitted_size is 0 is always whole.
  ValuePart value_part;
};

struct ReadSpec : CellLimits {
  RowSet rows = RowSet::All();
  std::vector<ColumnPattern> columns;  // empty: all columns
};

}  // namespace sippar::engine
