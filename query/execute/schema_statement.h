// Statements that create, change or drop a table (CREATE, ALTER and DROP TABLE) and those on the
// session's settings (SET, RESET).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

[[nodiscard]] Status ExecuteCreateTable(const StatementContext& context,
                                        const syntax::CreateTable& create);
[[nodiscard]] Status ExecuteAlterTable(const StatementContext& context,
                                       const syntax::AlterTable& alter);
[[nodiscard]] Status ExecuteDropTable(const StatementContext& context,
                                      const syntax::DropTable& drop);
[[nodiscard]] Status ExecuteSet(const StatementContext& context, const syntax::SetOption& set);
[[nodiscard]] Status ExecuteReset(const StatementContext& context,
                                  const syntax::ResetOption& reset);

}  // namespace sippar::query
