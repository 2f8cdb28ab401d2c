// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/row_operations.h"

#include <utility>

namespace sippar::cluster {
namespace {
constexpr size_t kDeleteBatch = 1'000;  // rows in one call of ApplyBatch
}  // namespace

engine::RowUpdate CheckAndMutateOf(CheckedRow row, const std::vector<std::string>& families) {
  engine::RowUpdate update;
  update.row = row.on_true.row;
  engine::CheckedMutation& check = update.check.emplace();
  bool is_covered = PushDownThroughView(row.predicate, families, row.view, &update.read);
  // The push-down and the view have narrowed the rows. If they exclude this row, none is left: the
  // predicate then sees no cell and is false.
  update.read.rows = update.read.rows.Intersection(engine::RowSet(RowRange::Single(update.row)));
  // The read already applies a covered predicate, so the check only asks whether it returns any
  // cell.
  if (!is_covered) check.predicate = std::move(row.predicate);
  check.seed = row.seed;
  check.on_true = std::move(row.on_true.entries);
  check.on_false = std::move(row.on_false.entries);
  return update;
}

Status DeleteRows(DataApi* data, const std::string& table, const RowRange& range) {
  ReadSpec read;
  read.rows = engine::RowSet(range);
  read.keys_only = true;
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> rows, data->Read(table, read, {}));
  // The scan reads a snapshot of each tablet, so the deletions do not disturb it.
  while (rows->Valid()) {
    std::vector<RowMutation> batch;
    for (; rows->Valid() && batch.size() < kDeleteBatch; rows->Next()) {
      batch.emplace_back(rows->cell().row).DeleteRow();
    }
    for (const Status& status : data->ApplyBatch(table, batch)) RETURN_IF_ERROR(status);
  }
  return rows->status();
}

}  // namespace sippar::cluster
