// Operations of one or many rows made of the calls of DataApi: check-and-mutate and
// read-modify-write as the Cloud Bigtable API has them, deleting all rows of a range. The first two
// are optimistic: they read, decide, and commit if the read still gives the same (paper section 3,
// single-row transactions); a lost race reads again. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/client/table_view.h"
#include "engine/read/row_filter.h"

namespace sippar::cluster {

struct CheckedMutation {
  engine::RowFilter predicate;  // kPassAll: has the row any cell?
  RowMutation on_true;          // of the same row; no entries: changes nothing
  RowMutation on_false;
  const TableView* view = nullptr;  // the predicate sees no more than this; null: the whole row
  uint64_t seed = 0;                // of the predicate's row_sample
};

// Whether the predicate gave a cell. `families`: names of those the table has. kAborted after too
// many lost races; else as DataApi::CommitRow.
[[nodiscard]] StatusOr<bool> CheckAndMutate(DataApi* data, const std::string& table,
                                            const std::vector<std::string>& families,
                                            const CheckedMutation& mutation);

// On the newest cell of a column: appends `append`, or adds `increment` to its INT64 (absent = 0).
struct ModifyRule {
  std::string family;
  std::string qualifier;
  std::optional<std::string> append;
  int64_t increment = 0;  // wraps
};

// Applies the rules in order, all or none, and gives the newest cell of each column they name, in
// order. The cell's time is `now_us` or that of the cell before, whichever is later.
// kFailedPrecondition: an increment meets a value that has not 8 bytes.
[[nodiscard]] StatusOr<std::vector<Cell>> ReadModifyWrite(DataApi* data, const std::string& table,
                                                          const std::string& row,
                                                          const std::vector<ModifyRule>& rules,
                                                          int64_t now_us);

// Deletes what the rows of `range` hold when their turn comes, in batches. Not atomic.
[[nodiscard]] Status DeleteRows(DataApi* data, const std::string& table, const RowRange& range);

}  // namespace sippar::cluster
