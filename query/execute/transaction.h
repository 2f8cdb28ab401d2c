// BEGIN ROW … COMMIT on the client's side (optimistic): remembers reads of the row with a digest,
// holds the writes back, shows the row with them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/model/cell.h"
#include "engine/program/row_update.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// The open transaction if it is on this table, else null.
RowTransaction* TransactionOn(const StatementContext& context, const std::string& table);
// OTHER_ROW, when a transaction is open and this is not its row.
[[nodiscard]] Status CheckTransactionRow(const StatementContext& context, const std::string& table,
                                         const std::string& row, const Span& span);
// TRANSACTION_OPEN: schema changes and bulk writes wait for COMMIT or ROLLBACK.
[[nodiscard]] Status CheckNoTransaction(const StatementContext& context, std::string_view what);

// All cells of the transaction's row with its own writes; remembers that `read` was done.
[[nodiscard]] StatusOr<std::vector<engine::Cell>> ReadTransactionRow(
    const StatementContext& context, const engine::ReadSpec& read);
// An update of the row: planned here, its writes held back until COMMIT.
[[nodiscard]] StatusOr<engine::RowUpdateResult> UpdateInTransaction(
    const StatementContext& context, const engine::RowUpdate& update);
[[nodiscard]] Status WriteInTransaction(const StatementContext& context,
                                        const engine::RowMutation& mutation);

[[nodiscard]] Status ExecuteBegin(const StatementContext& context, const syntax::BeginRow& begin);
[[nodiscard]] Status ExecuteCommit(const StatementContext& context);
[[nodiscard]] Status ExecuteRollback(const StatementContext& context);

// Update on the server, or inside the open transaction.
[[nodiscard]] StatusOr<engine::RowUpdateResult> RunUpdate(const StatementContext& context,
                                                          const std::string& table,
                                                          const engine::RowUpdate& update,
                                                          const Span& span);
std::string Plural(uint64_t count, std::string_view what);  // "1 row", "2 rows"

}  // namespace sippar::query
