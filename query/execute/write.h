// Statements that write rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/execute/row_writer.h"
#include "query/plan/update_builder.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

[[nodiscard]] Status ExecuteInsert(const StatementContext& context, const syntax::Insert& insert);
[[nodiscard]] Status ExecuteUpdate(const StatementContext& context, const syntax::Update& update);
[[nodiscard]] Status ExecuteDelete(const StatementContext& context,
                                   const syntax::Delete& statement);
[[nodiscard]] Status ExecuteIncrement(const StatementContext& context,
                                      const syntax::Increment& increment);
[[nodiscard]] Status ExecuteAppend(const StatementContext& context, const syntax::Append& append);
[[nodiscard]] Status ExecuteAtomic(const StatementContext& context, const syntax::Atomic& atomic);

// The following functions plan parts of statements; EXPLAIN uses them, too. PlanInsertRow plans
// INSERT … ROW key SET …: it returns the key and adds the assignments and the IF to *builder.
[[nodiscard]] StatusOr<std::string> PlanInsertRow(const StatementContext& context,
                                                  const syntax::Insert& insert,
                                                  UpdateBuilder* builder);
// Passes the rows of INSERT … VALUES to the writer, which may flush.
[[nodiscard]] Status AddInsertedRows(const StatementContext& context,
                                     const engine::TableSchema& schema,
                                     const syntax::Insert& insert, RowWriter* writer);
// Adds the block of ATOMIC to *builder. Returns true if the block has RETURNs but may end without
// reaching one. The returned row then has one more value, which is NULL if no RETURN was reached.
[[nodiscard]] StatusOr<bool> PlanAtomic(const StatementContext& context,
                                        const syntax::Atomic& atomic, UpdateBuilder* builder);

}  // namespace sippar::query
