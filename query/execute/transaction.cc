// SPDX-License-Identifier: Apache-2.0
#include "query/execute/transaction.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/fold_entry.h"
#include "query/execute/row_overlay.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

engine::ReadSpec OfRow(engine::ReadSpec read, const std::string& row) {
  read.rows = engine::RowSet(engine::RowRange::Single(row));
  return read;
}

// The current schema of the transaction's table. Its GC rules also apply to the held-back writes.
StatusOr<std::shared_ptr<const engine::TableSchema>> SchemaOf(const StatementContext& context) {
  return context.DoAdmin(cluster::calls::GetSchema{context.session->transaction->table});
}

Status NoTransaction() {
  return ErrorAt("NO_TRANSACTION", {}, "no row transaction is open", "BEGIN ROW table 'key'",
                 StatusCode::kFailedPrecondition);
}

}  // namespace

std::string Plural(uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

RowTransaction* TransactionOn(const StatementContext& context, const std::string& table) {
  auto& transaction = context.session->transaction;
  return transaction && transaction->table == table ? &*transaction : nullptr;
}

// A write to another row would be visible at once and would stay after ROLLBACK. Reads of other
// rows are allowed; COMMIT does not check them.
Status CheckTransactionRow(const StatementContext& context, const std::string& table,
                           const std::string& row, const Span& span) {
  const auto& transaction = context.session->transaction;
  if (!transaction || (transaction->table == table && transaction->row == row)) return OkStatus();
  return ErrorAt("OTHER_ROW", span,
                 fmt::format("the open transaction is on row {} of {}",
                             QuoteValue(transaction->row), transaction->table),
                 "COMMIT or ROLLBACK first", StatusCode::kFailedPrecondition);
}

Status CheckNoTransaction(const StatementContext& context, std::string_view what) {
  if (!context.session->transaction) return OkStatus();
  return ErrorAt("TRANSACTION_OPEN", {},
                 fmt::format("{} cannot run inside a row transaction", what),
                 "COMMIT or ROLLBACK first", StatusCode::kFailedPrecondition);
}

StatusOr<std::vector<engine::Cell>> ReadTransactionRow(const StatementContext& context,
                                                       const engine::ReadSpec& read) {
  RowTransaction* transaction = &*context.session->transaction;
  // The whole row is read, whatever `read` asks for: the held-back writes and the GC rules need all
  // versions.
  ASSIGN_OR_RETURN(auto stream,
                   context.client()->data()->Read(transaction->table, OfRow({}, transaction->row),
                                                  context.CallOptions()));
  std::vector<engine::Cell> cells;
  for (; stream->Valid(); stream->Next()) cells.emplace_back(stream->cell());
  RETURN_IF_ERROR(stream->status());
  // The digest is computed from the cells that are returned. A digest from a second read could
  // already include another client's change, and COMMIT would not notice the conflict.
  cluster::ReadCheck check;
  check.read = OfRow(read, transaction->row);
  ASSIGN_OR_RETURN(auto wanted, ReadCells(check.read, cells));
  ASSIGN_OR_RETURN(check.digest, cluster::DigestCells(wanted.get()));
  // The digest is taken before the held-back writes are applied: COMMIT compares it with the stored
  // cells.
  transaction->checks.push_back(std::move(check));
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema, SchemaOf(context));
  RETURN_IF_ERROR(ApplyToCells(transaction->writes, *schema, context.now_us, &cells));
  return cells;
}

Status WriteInTransaction(const StatementContext& context, const engine::RowMutation& mutation) {
  RowTransaction* transaction = &*context.session->transaction;
  // Folding an increment or append may fail, and then the transaction keeps what it had.
  const bool may_fail = std::any_of(mutation.entries.begin(), mutation.entries.end(), BuildsOnCell);
  engine::RowMutation writes =
      may_fail ? transaction->writes : std::exchange(transaction->writes, {});
  uint64_t cells_set = 0;
  for (const engine::MutationEntry& entry : mutation.entries) {
    bool sets = entry.kind == engine::MutationEntry::kSet || BuildsOnCell(entry);
    if (sets) ++cells_set;
    // cells_set counts what the statements wrote, for the tag of COMMIT; folding may leave fewer
    // entries.
    RETURN_IF_ERROR(FoldEntry(entry, &writes));
  }
  transaction->writes = std::move(writes);
  transaction->cells_set += cells_set;
  return OkStatus();
}

StatusOr<engine::RowUpdateResult> TryUpdate(const StatementContext& context,
                                            const engine::RowUpdate& update) {
  engine::ReadSpec read = OfRow(update.read, update.row);
  ASSIGN_OR_RETURN(std::vector<engine::Cell> cells, ReadTransactionRow(context, read));
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema, SchemaOf(context));
  engine::RowAfter row_after =
      [&](const engine::RowMutation& writes,
          const engine::ReadSpec& wanted) -> StatusOr<std::unique_ptr<engine::CellStream>> {
    std::vector<engine::Cell> after = cells;
    RETURN_IF_ERROR(ApplyToCells(writes, *schema, context.now_us, &after));
    return ReadCells(OfRow(wanted, update.row), std::move(after));
  };
  // The plan gets kServerTime as the time of new cells: the tablet chooses their times at COMMIT.
  ASSIGN_OR_RETURN(engine::RowUpdatePlan plan,
                   engine::PlanRowUpdate(update, row_after, engine::kServerTime));
  // RETURNING shows the row with this update. Another client's change before COMMIT makes the
  // answer wrong, and then COMMIT fails.
  ASSIGN_OR_RETURN(auto after, row_after(plan.mutation, read));
  RETURN_IF_ERROR(engine::FinishRowUpdate(update, after.get(), &plan.result));
  // The writes are added last, so that an update that fails leaves none in the transaction.
  RETURN_IF_ERROR(WriteInTransaction(context, plan.mutation));
  return std::move(plan.result);
}

StatusOr<engine::RowUpdateResult> UpdateInTransaction(const StatementContext& context,
                                                      const engine::RowUpdate& update) {
  std::vector<cluster::ReadCheck>* checks = &context.session->transaction->checks;
  const size_t before = checks->size();
  auto result = TryUpdate(context, update);
  // A failed update shows nothing of what it read, so COMMIT need not compare it.
  if (!result.ok()) checks->erase(checks->begin() + static_cast<ptrdiff_t>(before), checks->end());
  return result;
}

StatusOr<engine::RowUpdateResult> RunUpdate(const StatementContext& context,
                                            const std::string& table,
                                            const engine::RowUpdate& update, const Span& span) {
  RETURN_IF_ERROR(CheckTransactionRow(context, table, update.row, span));
  auto result = context.session->transaction
                    ? UpdateInTransaction(context, update)
                    : context.client()->data()->Update(table, update, context.CallOptions());
  if (!result.ok()) return WithQueryCode(result.status(), span);
  return result;
}

Status ExecuteBegin(const StatementContext& context, const syntax::BeginRow& begin) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "BEGIN ROW"));
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, begin.table));
  RowTransaction transaction;
  transaction.table = schema->name;
  ASSIGN_OR_RETURN(transaction.row, CompileRowKey(context, begin.row));
  // No lock is taken and the tablet learns nothing of the transaction until COMMIT, so an abandoned
  // transaction costs the other clients nothing.
  transaction.writes.row = transaction.row;
  context.session->transaction = std::move(transaction);
  context.summary->tag = "row transaction begun";
  return OkStatus();
}

Status ExecuteCommit(const StatementContext& context) {
  if (!context.session->transaction) return NoTransaction();
  // The transaction is over whatever CommitRow returns: if the outcome is unknown, a second COMMIT
  // could apply its increments twice.
  RowTransaction transaction = *std::move(context.session->transaction);
  context.session->transaction.reset();
  Status status = context.client()->data()->CommitRow(transaction.table, transaction.writes,
                                                      transaction.checks);
  if (status.code() == StatusCode::kAborted) {
    return ErrorAt("ROW_CONFLICT", {}, MessageOf(status),
                   "nothing was written; run the transaction again", StatusCode::kAborted);
  }
  RETURN_IF_ERROR(status);
  auto is_delete = [](const engine::MutationEntry& entry) {
    return entry.kind >= engine::MutationEntry::kDeleteColumn &&
           entry.kind <= engine::MutationEntry::kDeleteRow;
  };
  auto deletes = static_cast<uint64_t>(std::count_if(transaction.writes.entries.begin(),
                                                     transaction.writes.entries.end(), is_delete));
  context.summary->tag = fmt::format("committed: {}", Plural(transaction.cells_set, "cell"));
  if (deletes > 0) context.summary->tag += fmt::format(", {}", Plural(deletes, "deletion"));
  return OkStatus();
}

Status ExecuteRollback(const StatementContext& context) {
  if (!context.session->transaction) return NoTransaction();
  context.session->transaction.reset();
  context.summary->tag = "rolled back";
  return OkStatus();
}

}  // namespace sippar::query
