// Operations that are built from calls of DataApi: CheckAndMutateRow of the Cloud Bigtable API,
// optionally through an authorized view, and deleting all rows of a range.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/client/table_view.h"
#include "engine/read/row_filter.h"

namespace sippar::cluster {

struct CheckedRow {
  engine::RowFilter predicate;      // true if any cell of the row passes this filter
  RowMutation on_true;              // no entries: changes nothing
  RowMutation on_false;             // a mutation of the same row
  const TableView* view = nullptr;  // the part that the predicate sees; null: the whole row
  uint64_t seed = 0;                // random seed of the predicate's row_sample
};

// Makes the update for DataApi::Update, whose result says whether the predicate matched.
// `families`: the names of all families of the table.
engine::RowUpdate CheckAndMutateOf(CheckedRow row, const std::vector<std::string>& families);

// Deletes the rows of `range` in batches. Not atomic: each row loses the cells that it has
// at the time when its batch is written.
[[nodiscard]] Status DeleteRows(DataApi* data, const std::string& table, const RowRange& range);

}  // namespace sippar::cluster
