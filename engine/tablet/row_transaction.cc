// Read, decide, write under the row lock: row transactions, conditional updates (paper section 3:
// single-row transactions). SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/program/program_error.h"
#include "engine/tablet/prepared_write.h"

namespace sippar::engine {

Status Tablet::CommitRow(const RowMutation& mutation, std::span<const RowCheck> checks) {
  OneRowLock lock(context_->row_locks, id_, mutation.row, RowLock::kAlone);
  ASSIGN_OR_RETURN(std::shared_ptr<const TableSchema> schema, SchemaForWrite());
  if (auto answered = FindAnswer(mutation)) return *std::move(answered);
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
  OneRowLock lock(context_->row_locks, id_, update.row, RowLock::kAlone);
  ASSIGN_OR_RETURN(std::shared_ptr<const TableSchema> schema, SchemaForWrite());
  if (!update.request.IsNone()) {
    ASSIGN_OR_RETURN(std::optional<std::string> answered, requests_.Find(update.request));
    if (answered) return RowUpdateResult::Decode(*answered);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> before, ReadRow(update.row, update.read));
  ASSIGN_OR_RETURN(RowUpdatePlan plan,
                   PlanRowUpdate(update, before.get(), context_->clock->NowMicros()));
  before.reset();
  if (!update.request.IsNone() && !plan.mutation.entries.empty()) {
    RETURN_IF_ERROR(CommitAnswered(update, plan.mutation, *schema, &plan.result));
    return std::move(plan.result);
  }
  if (!plan.mutation.entries.empty()) RETURN_IF_ERROR(CommitOne(plan.mutation, *schema));
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> after, ReadRow(update.row, update.read));
  Status returned = FinishRowUpdate(update, after.get(), &plan.result);
  if (!returned.ok() && !plan.mutation.entries.empty()) {
    return AddPlace(returned, "the row was changed, do not repeat it; only RETURNING failed");
  }
  RETURN_IF_ERROR(returned);
  return std::move(plan.result);
}

// With its answer, which a repeated request is to get again: so RETURNING is computed before the
// write is logged, on the row as it will be.
Status Tablet::CommitAnswered(const RowUpdate& update, const RowMutation& mutation,
                              const TableSchema& schema, RowUpdateResult* result) {
  PreparedWrite write;
  RETURN_IF_ERROR(Prepare(mutation, schema, &write));
  if (!update.returning.empty()) {
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> after, ReadRowAfter(write, update.read));
    RETURN_IF_ERROR(FinishRowUpdate(update, after.get(), result));
  }
  Answer(&write, update.request, result->Encode());
  return Commit({&write, 1});
}

StatusOr<std::unique_ptr<CellStream>> Tablet::ReadRowAfter(const PreparedWrite& write,
                                                           const ReadSpec& read) {
  Snapshot snapshot = TakeSnapshot();
  auto after = std::make_shared<TabletVersion>(*snapshot.version);
  for (GroupVersion& group : after->groups) {
    group.frozen.push_back(std::move(group.active));
    group.active = std::make_shared<Memtable>();
  }
  ForEachEntry(*write.mutation, snapshot.sequence + 1, write.wall_us,
               [&](std::string_view family, std::string_view key, std::string_view value,
                   uint64_t sequence) {
                 bool of_row = family.empty();
                 if (!of_row && snapshot.schema->FindFamily(family) == nullptr) return;
                 for (GroupVersion& group : after->groups) {
                   if (of_row || snapshot.schema->GroupOf(family).name == group.name) {
                     group.active->Add(key, value, sequence);
                   }
                 }
               });
  snapshot.sequence += write.mutation->entries.size();
  snapshot.version = std::move(after);
  ReadSpec of_row = read;
  of_row.rows = RowSet(RowRange::Single(write.mutation->row));
  of_row.reverse = false;
  return ReadSnapshot(std::move(snapshot), of_row, nullptr, nullptr);
}

}  // namespace sippar::engine
