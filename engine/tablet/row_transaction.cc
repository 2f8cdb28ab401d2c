// Reads, decides and writes under the row's lock: row transactions and conditional updates (paper
// section 3, single-row transactions).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/program/program_error.h"
#include "engine/tablet/tablet_writer.h"

namespace sippar::engine {
namespace {

// True if Prepare reads the row to resolve what the update writes. Prepare sees the row as it is in
// the tablet, without the uncommitted writes of the same batch.
bool BuildsOnCells(const RowUpdate& update) {
  auto builds = [](const MutationEntry& entry) {
    return entry.kind == MutationEntry::kIncrement || entry.kind == MutationEntry::kAppend ||
           entry.kind == MutationEntry::kAdd || entry.kind == MutationEntry::kMerge;
  };
  return update.check.has_value() && (std::ranges::any_of(update.check->on_true, builds) ||
                                      std::ranges::any_of(update.check->on_false, builds));
}

}  // namespace

Status TabletWriter::CommitOne(const RowMutation& mutation, const TableSchema& schema) {
  PreparedWrite write;
  RETURN_IF_ERROR(Prepare(mutation, schema, &write));
  return Commit({&write, 1});
}

Status TabletWriter::CommitRow(const RowMutation& mutation, std::span<const RowCheck> checks) {
  OneRowLock lock(body_->context->row_locks, body_->id, mutation.row, RowLock::kAlone);
  ASSIGN_OR_RETURN(std::shared_ptr<const TableSchema> schema, SchemaForWrite());
  // Looks for the answer before the checks: the first attempt of this request may have changed the
  // row, and a repeated request must get the answer of that attempt, not kAborted.
  if (auto answered = FindAnswer(mutation.request)) return *std::move(answered);
  for (const RowCheck& check : checks) {
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, reader_->ReadRow(mutation.row, check.read));
    ASSIGN_OR_RETURN(uint64_t digest, DigestCells(cells.get()));
    if (digest != check.digest) {
      return Aborted(
          fmt::format("row '{}' changed since the transaction read it; run the transaction again",
                      mutation.row));
    }
  }
  if (mutation.entries.empty()) return OkStatus();
  return CommitOne(mutation, *schema);
}

std::vector<StatusOr<RowUpdateResult>> TabletWriter::UpdateBatch(
    std::span<const RowUpdate* const> updates) {
  std::vector<size_t> stripes;
  for (const RowUpdate* update : updates) {
    stripes.push_back(body_->context->row_locks->StripeOf(body_->id, update->row));
  }
  RowLockGuard lock(body_->context->row_locks, std::move(stripes), RowLock::kAlone);
  std::vector<StatusOr<RowUpdateResult>> answers(updates.size(), RowUpdateResult());
  auto schema = SchemaForWrite();
  std::vector<PreparedWrite> writes(updates.size());
  size_t first = 0;  // first write that is not committed
  size_t count = 0;  // number of writes prepared
  size_t from = 0;   // first update whose answer is not final
  auto commit = [&](size_t end) {
    Status status = count == first ? OkStatus() : Commit({writes.data() + first, count - first});
    // Updates that wrote nothing fail too, because their answers may rest on writes of the group
    // that failed.
    for (size_t i = from; i < end && !status.ok(); ++i) {
      if (answers[i].ok()) answers[i] = status;
    }
    first = count;
    from = end;
  };
  for (size_t i = 0; i < updates.size(); ++i) {
    if (!schema.ok()) {
      answers[i] = schema.status();
    } else if (updates[i]->IsOperation()) {
      // An update that builds on cells must see the earlier updates of this batch, so these are
      // committed first.
      if (BuildsOnCells(*updates[i])) commit(i);
      std::span<const PreparedWrite> before{writes.data() + first, count - first};
      answers[i] = PrepareOperation(*updates[i], **schema, before, &writes[count]);
      if (answers[i].ok() && writes[count].mutation != nullptr) ++count;
    } else {
      commit(i);
      answers[i] = UpdateLocked(*updates[i], **schema);
      from = i + 1;
    }
  }
  commit(updates.size());
  return answers;
}

// For updates that are operations: decides on the row as it will be after `before`, the prepared
// writes of this batch that are not committed yet. The caller holds the row lock and commits
// *write.
StatusOr<RowUpdateResult> TabletWriter::PrepareOperation(const RowUpdate& update,
                                                         const TableSchema& schema,
                                                         std::span<const PreparedWrite> before,
                                                         PreparedWrite* write) {
  RETURN_IF_ERROR(ValidateRowKey(update.row));
  if (!update.request.IsNone()) {
    ASSIGN_OR_RETURN(std::optional<std::string> answered, requests_.Find(update.request));
    if (answered) return RowUpdateResult::Decode(*answered);
  }
  RETURN_IF_ERROR(ValidateRules(update.rules, schema));
  std::unique_ptr<CellStream> row;
  if (update.read.rows.Contains(update.row)) {
    bool is_changed = std::any_of(before.begin(), before.end(), [&](const PreparedWrite& other) {
      return other.mutation->row == update.row;
    });
    ASSIGN_OR_RETURN(row, is_changed ? ReadRowAfter(before, update.row, update.read)
                                     : reader_->ReadRow(update.row, update.read));
  }
  int64_t time_us = update.rules.empty() ? 0 : time_.Next(schema);
  ASSIGN_OR_RETURN(RowUpdatePlan plan, PlanRowOperation(update, row.get(), time_us));
  // Releases the snapshot before Prepare, which may read the row again.
  row.reset();
  if (plan.mutation.entries.empty()) return std::move(plan.result);
  write->planned = std::move(plan.mutation);
  plan.result.cells_set = write->planned.entries.size();
  Status prepared = Prepare(write->planned, schema, write);
  if (!prepared.ok()) {
    write->mutation = nullptr;
    return prepared;
  }
  if (!update.request.IsNone()) Answer(write, update.request, plan.result.Encode());
  return std::move(plan.result);
}

// For updates that are not operations: decides and commits one update. The caller holds the row
// lock.
StatusOr<RowUpdateResult> TabletWriter::UpdateLocked(const RowUpdate& update,
                                                     const TableSchema& schema) {
  RETURN_IF_ERROR(ValidateRowKey(update.row));
  if (!update.request.IsNone()) {
    ASSIGN_OR_RETURN(std::optional<std::string> answered, requests_.Find(update.request));
    if (answered) return RowUpdateResult::Decode(*answered);
  }
  RowAfter row_after = [&](const RowMutation& writes,
                           const ReadSpec& read) -> StatusOr<std::unique_ptr<CellStream>> {
    if (writes.entries.empty()) return reader_->ReadRow(update.row, read);
    PreparedWrite write;
    RETURN_IF_ERROR(Prepare(writes, schema, &write));
    return ReadRowAfter({&write, 1}, update.row, read);
  };
  ASSIGN_OR_RETURN(RowUpdatePlan plan, PlanRowUpdate(update, row_after, time_.Next(schema)));
  if (!update.request.IsNone() && !plan.mutation.entries.empty()) {
    RETURN_IF_ERROR(CommitAnswered(update, plan.mutation, schema, &plan.result));
    return std::move(plan.result);
  }
  if (!plan.mutation.entries.empty()) RETURN_IF_ERROR(CommitOne(plan.mutation, schema));
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> after, reader_->ReadRow(update.row, update.read));
  Status returned = FinishRowUpdate(update, after.get(), &plan.result);
  if (!returned.ok() && !plan.mutation.entries.empty()) {
    // The write is durable: a plain error would invite a retry, which would change the row twice.
    return AddPlace(returned, "the row was changed, do not repeat it; only RETURNING failed");
  }
  RETURN_IF_ERROR(returned);
  return std::move(plan.result);
}

// Commits a write together with its answer, which a repeated request will get. So RETURNING is
// computed before the write is logged, on the row as it will be.
Status TabletWriter::CommitAnswered(const RowUpdate& update, const RowMutation& mutation,
                                    const TableSchema& schema, RowUpdateResult* result) {
  PreparedWrite write;
  RETURN_IF_ERROR(Prepare(mutation, schema, &write));
  if (!update.returning.empty()) {
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> after,
                     ReadRowAfter({&write, 1}, update.row, update.read));
    RETURN_IF_ERROR(FinishRowUpdate(update, after.get(), result));
  }
  Answer(&write, update.request, result->Encode());
  return Commit({&write, 1});
}

StatusOr<std::unique_ptr<CellStream>> TabletWriter::ReadRowAfter(
    std::span<const PreparedWrite> writes, const std::string& row, const ReadSpec& read) {
  TabletSnapshot snapshot = body_->TakeSnapshot();
  // Makes a private version in which the tablet's active memtables count as frozen and new
  // memtables take the writes. So the tablet's own memtables hold no entry that is not in the log.
  auto after = std::make_shared<TabletVersion>(*snapshot.version);
  for (GroupVersion& group : after->groups) {
    group.frozen.push_back(std::move(group.active));
    group.active = std::make_shared<Memtable>();
  }
  for (const PreparedWrite& write : writes) {
    if (write.mutation->row != row) continue;
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
  }
  snapshot.version = std::move(after);
  return reader_->ReadRowIn(std::move(snapshot), row, read);
}

}  // namespace sippar::engine
