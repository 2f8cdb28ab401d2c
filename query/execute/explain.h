// EXPLAIN: what a statement would read, write and call, without doing it. EXPLAIN ANALYZE runs a
// SELECT and adds what the run read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/execute/plan_tree.h"
#include "query/plan/select_plan.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

[[nodiscard]] Status ExecuteExplain(const StatementContext& context,
                                    const syntax::Explain& explain);

// The plan of a SELECT, with the tablets that it reads.
[[nodiscard]] StatusOr<PlanTree> ExplainSelectPlan(const StatementContext& context,
                                                   const SelectPlan& plan);
// The plans of statements that write rows (explain_write.cc).
[[nodiscard]] StatusOr<PlanTree> ExplainWrite(const StatementContext& context,
                                              const syntax::Insert& insert);
[[nodiscard]] StatusOr<PlanTree> ExplainWrite(const StatementContext& context,
                                              const syntax::Update& update);
[[nodiscard]] StatusOr<PlanTree> ExplainWrite(const StatementContext& context,
                                              const syntax::Delete& statement);
[[nodiscard]] StatusOr<PlanTree> ExplainWrite(const StatementContext& context,
                                              const syntax::Increment& increment);
[[nodiscard]] StatusOr<PlanTree> ExplainWrite(const StatementContext& context,
                                              const syntax::Append& append);
[[nodiscard]] StatusOr<PlanTree> ExplainWrite(const StatementContext& context,
                                              const syntax::Atomic& atomic);
// The plans of all other statements: the calls that they make (explain_other.cc).
[[nodiscard]] StatusOr<PlanTree> ExplainOther(const StatementContext& context,
                                              const syntax::Statement& statement);

}  // namespace sippar::query
