// Runs a ReadSpec over the entries of one tablet: rows, columns, times, versions, cell limits, both
// directions. Sits on the visibility iterator. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "engine/model/cell_iterator.h"
#include "engine/model/read_spec.h"
#include "engine/read/visibility_iterator.h"

namespace sippar::engine {

// Makes the merged entries that may hold rows of a range; asked once per range of the read.
using EntrySource = std::function<std::unique_ptr<EntryIterator>(const RowRange&)>;

struct RowReaderOptions {
  VisibilityIterator::Options visibility;
  EntrySource source;
  std::shared_ptr<void> keep_alive;  // the snapshot that `source` reads
};

// kInvalidArgument for a bad pattern.
[[nodiscard]] StatusOr<std::unique_ptr<CellStream>> NewRowReader(const ReadSpec& read,
                                                                 RowReaderOptions options);

}  // namespace sippar::engine
