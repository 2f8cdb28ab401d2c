// Runs the plan of a SELECT and delivers its rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/execute/result_stages.h"
#include "query/plan/select_plan.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// Runs `plan` and passes its finished rows to `consumer`. *next becomes "AFTER …" if LIMIT cut the
// result, else "".
[[nodiscard]] Status RunSelect(const StatementContext& context, const SelectPlan& plan,
                               const RowConsumer& consumer, std::string* next);
// Plans and runs `select`. Passes the rows to the statement's sink, and puts everything else (such
// as notices and `next`) into the statement's summary.
[[nodiscard]] Status ExecuteSelect(const StatementContext& context, const syntax::Select& select);
// Sends the rows of a small relation that pass `where` to the statement's sink. Used by SHOW,
// DESCRIBE and EXPLAIN.
[[nodiscard]] Status GiveRelation(const StatementContext& context,
                                  const std::vector<ResultColumn>& columns, std::vector<Row> rows,
                                  const syntax::OptionalExpr& where);
// Sends rows to the statement's sink and counts them. *goes_on becomes false when the sink needs no
// more rows.
void GiveRows(const StatementContext& context, std::vector<Row> rows, bool* goes_on);

}  // namespace sippar::query
