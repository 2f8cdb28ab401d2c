// Runs a ReadSpec over the entries of one tablet: rows, columns, times, versions and cell limits,
// in both directions. Uses the visibility iterator. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/model/cell_iterator.h"
#include "engine/model/read_counters.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"
#include "engine/read/read_totals.h"
#include "engine/read/tablet_work.h"
#include "engine/read/visibility_iterator.h"

namespace sippar::engine {

// Returns an iterator over the merged entries that may hold rows of a range; called once for each
// range of the read. Null: the range has no rows, usually because Bloom filters exclude it.
using EntrySource = std::function<std::unique_ptr<EntryIterator>(const RowRange&, ReadCounters*)>;

struct RowReaderOptions {
  std::vector<RowRange> ranges;  // ascending, disjoint
  std::unique_ptr<ColumnMatcher> columns;
  CellLimits limits;
  VisibilityIterator::Options visibility;
  EntrySource source;  // keeps alive the memtables and files that it opens
  // An error about damage names the table and the tablet. Null: it names neither.
  std::shared_ptr<const TableSchema> schema;
  uint64_t tablet_id = 0;
  // Each of the next three receives the counters of the read when it ends. Null: not wanted.
  std::shared_ptr<ReadTotals> totals;
  std::shared_ptr<TabletWork> work;
  ReadCounters* counters = nullptr;  // must outlive the stream
  ReadCounters opened;               // counters from before the stream was made
};

std::unique_ptr<CellStream> NewRowReader(RowReaderOptions&& options);
// The status of a read; kDataLoss with the table and the tablet.
Status WithPlace(const RowReaderOptions& options, const Status& status);

}  // namespace sippar::engine
