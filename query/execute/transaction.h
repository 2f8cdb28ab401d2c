// Row transactions, BEGIN ROW … COMMIT (single-row transactions of the Bigtable paper, section 3).
// They are optimistic and live in the client: the client keeps a digest of the result of each read
// of the row and holds back the writes, and COMMIT applies the writes only if every read would
// still have the same result. Reads show the row with the held-back writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/model/cell.h"
#include "engine/program/row_update.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// The open transaction if it is on `table`, else nullptr.
RowTransaction* TransactionOn(const StatementContext& context, const std::string& table);
// OTHER_ROW if a transaction is open on another row.
[[nodiscard]] Status CheckTransactionRow(const StatementContext& context, const std::string& table,
                                         const std::string& row, const Span& span);
// TRANSACTION_OPEN if a transaction is open: many statements, such as schema changes and bulk
// writes, cannot be part of one. `what` names the statement in the error.
[[nodiscard]] Status CheckNoTransaction(const StatementContext& context, std::string_view what);

// All cells of the transaction's row with the transaction's own writes. Adds `read` to the reads
// that COMMIT checks. Requires an open transaction.
[[nodiscard]] StatusOr<std::vector<engine::Cell>> ReadTransactionRow(
    const StatementContext& context, const engine::ReadSpec& read);
// Plans an update of the row here and holds its writes back until COMMIT. Requires an open
// transaction on the row.
[[nodiscard]] StatusOr<engine::RowUpdateResult> UpdateInTransaction(
    const StatementContext& context, const engine::RowUpdate& update);
// Holds the entries of `mutation` back until COMMIT. Requires an open transaction on its row.
[[nodiscard]] Status WriteInTransaction(const StatementContext& context,
                                        const engine::RowMutation& mutation);

[[nodiscard]] Status ExecuteBegin(const StatementContext& context, const syntax::BeginRow& begin);
[[nodiscard]] Status ExecuteCommit(const StatementContext& context);
[[nodiscard]] Status ExecuteRollback(const StatementContext& context);

// Runs `update` on the tablet, or inside the open transaction if there is one. Fails with
// OTHER_ROW as CheckTransactionRow does.
[[nodiscard]] StatusOr<engine::RowUpdateResult> RunUpdate(const StatementContext& context,
                                                          const std::string& table,
                                                          const engine::RowUpdate& update,
                                                          const Span& span);
std::string Plural(uint64_t count, std::string_view what);  // "1 row" or "2 rows"

}  // namespace sippar::query
