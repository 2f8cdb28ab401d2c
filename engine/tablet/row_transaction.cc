// Read, decide, write under the row lock: row transactions, conditional updates (paper section 3:
// single-row transactions). SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/program/program_error.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {

Status Tablet::CommitRow(const RowMutation& mutation, std::span<const RowCheck> checks) {
  std::shared_ptr<const TableSchema> schema = TakeSnapshot().schema;
  MutexLock lock(context_->row_locks->MutexOf(id_, mutation.row));
  for (const RowCheck& check : checks) {
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, ReadRow(mutation.row, check.read));
    ASSIGN_OR_RETURN(uint64_t digest, DigestCells(cells.get()));
    if (digest != check.digest) {
      return Aborted(fmt::format("row '{}' changed since the transaction read it", mutation.row));
    }
  }
  if (mutation.entries.empty()) return OkStatus();
  return CommitOne(mutation, *schema);
}

StatusOr<RowUpdateResult> Tablet::Update(const RowUpdate& update) {
  RETURN_IF_ERROR(ValidateRowKey(update.row));
  std::shared_ptr<const TableSchema> schema = TakeSnapshot().schema;
  MutexLock lock(context_->row_locks->MutexOf(id_, update.row));
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> before, ReadRow(update.row, update.read));
  ASSIGN_OR_RETURN(RowUpdatePlan plan,
                   PlanRowUpdate(update, before.get(), context_->clock->NowMicros()));
  before.reset();
  if (!plan.mutation.entries.empty()) RETURN_IF_ERROR(CommitOne(plan.mutation, *schema));
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> after, ReadRow(update.row, update.read));
  Status returned = FinishRowUpdate(update, after.get(), &plan.result);
  if (!returned.ok() && !plan.mutation.entries.empty()) {
    return AddPlace(returned, "the row was changed, do not repeat it; only RETURNING failed");
  }
  RETURN_IF_ERROR(returned);
  return std::move(plan.result);
}

}  // namespace sippar::engine
