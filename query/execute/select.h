// Runs the plan of a SELECT. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/execute/result_stages.h"
#include "query/plan/select_plan.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// Finished rows go to `consumer`; *next gets the page key.
[[nodiscard]] Status RunSelect(const StatementContext& context, const SelectPlan& plan,
                               const RowConsumer& consumer, std::string* next);
// To the statement's sink and summary.
[[nodiscard]] Status ExecuteSelect(const StatementContext& context, const syntax::Select& select);
// Rows of a relation that is all here, through WHERE, to the sink. Used by SHOW.
[[nodiscard]] Status GiveRelation(const StatementContext& context,
                                  const std::vector<ResultColumn>& columns, std::vector<Row> rows,
                                  const syntax::OptionalExpr& where);
void GiveRows(const StatementContext& context, std::vector<Row> rows, bool* goes_on);
[[nodiscard]] Status ExecuteExplain(const StatementContext& context,
                                    const syntax::Explain& explain);

}  // namespace sippar::query
