// Operations of one or many rows made of the calls of DataApi: check-and-mutate as the Cloud
// Bigtable API has it, through a view; deleting all rows of a range. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/client/table_view.h"
#include "engine/read/row_filter.h"

namespace sippar::cluster {

struct CheckedRow {
  engine::RowFilter predicate;  // kPassAll: has the row any cell?
  RowMutation on_true;          // of the same row; no entries: changes nothing
  RowMutation on_false;
  const TableView* view = nullptr;  // the predicate sees no more than this; null: the whole row
  uint64_t seed = 0;                // of the predicate's row_sample
};

// For DataApi::Update, whose result says whether the predicate matched. `families`: names of those
// that the table has.
engine::RowUpdate CheckAndMutateOf(CheckedRow row, const std::vector<std::string>& families);

// Deletes what the rows of `range` hold when their turn comes, in batches. Not atomic.
[[nodiscard]] Status DeleteRows(DataApi* data, const std::string& table, const RowRange& range);

}  // namespace sippar::cluster
