// Runs a ReadSpec over the entries of one tablet: rows, columns, times, versions, cell limits, both
// directions. Sits on the visibility iterator. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/model/cell_iterator.h"
#include "engine/model/read_counters.h"
#include "engine/model/read_spec.h"
#include "engine/read/read_totals.h"
#include "engine/read/tablet_work.h"
#include "engine/read/visibility_iterator.h"

namespace sippar::engine {

// Makes the merged entries that may hold rows of a range; asked once per range of the read. Null:
// there is none, as a rule because the Bloom filters say so.
using EntrySource = std::function<std::unique_ptr<EntryIterator>(const RowRange&, ReadCounters*)>;

struct RowReaderOptions {
  std::vector<RowRange> ranges;  // ascending, disjoint
  std::unique_ptr<ColumnMatcher> columns;
  CellLimits limits;
  VisibilityIterator::Options visibility;
  EntrySource source;  // keeps alive what it reads
  // Given the counters of the read when it ends. Null: not wanted.
  std::shared_ptr<ReadTotals> totals;
  std::shared_ptr<TabletWork> work;
  ReadCounters* counters = nullptr;  // outlives the stream
  ReadCounters opened;               // what the caller has counted before
};

std::unique_ptr<CellStream> NewRowReader(RowReaderOptions&& options);

}  // namespace sippar::engine
