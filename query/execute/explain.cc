// EXPLAIN and EXPLAIN ANALYZE of a SELECT. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/execute/select.h"
#include "query/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

const std::string* TableOf(const SelectPlan& plan) {
  if (plan.source == SelectPlan::kTable) return &plan.table;
  return plan.input == nullptr ? nullptr : TableOf(*plan.input);
}

// Runs the plan without showing its rows.
StatusOr<std::string> Measure(const StatementContext& context, const SelectPlan& plan) {
  engine::Clock* clock = context.client()->clock();
  int64_t start_nanos = clock->MonotonicNanos();
  uint64_t rows = 0;
  std::string next;
  RETURN_IF_ERROR(RunSelect(
      context, plan,
      [&](const std::vector<Row>& batch) -> StatusOr<bool> {
        rows += batch.size();
        return true;
      },
      &next));
  double millis = static_cast<double>(clock->MonotonicNanos() - start_nanos) / 1e6;
  const SessionState& session = *context.session;
  return fmt::format("ran: {} rows in {:.1f} ms; rows seen {}, cells seen {}, tablets {}", rows,
                     millis, session.rows_read.load(), session.cells_read.load(),
                     session.tablets_done.load());
}

}  // namespace

Status ExecuteExplain(const StatementContext& context, const syntax::Explain& explain) {
  const auto* select = std::get_if<syntax::Select>(&explain.statement->node);
  if (!explain.format.empty()) {
    return ErrorAt("UNSUPPORTED", explain.format.span, "EXPLAIN FORMAT is not there yet", {},
                   StatusCode::kUnimplemented);
  }
  if (select == nullptr) {
    return ErrorAt("UNSUPPORTED", {}, "EXPLAIN of anything but SELECT is not there yet", {},
                   StatusCode::kUnimplemented);
  }
  ASSIGN_OR_RETURN(SelectPlan plan, PlanSelect(context, *select));
  std::vector<cluster::TabletInfo> tablets;
  if (const std::string* table = TableOf(plan)) {
    ASSIGN_OR_RETURN(tablets, context.client()->data()->Tablets(*table));
  }
  std::vector<Row> rows;
  for (std::string& line : ExplainSelect(plan, tablets)) {
    rows.push_back({Value::Text(std::move(line))});
  }
  if (explain.analyze) {
    ASSIGN_OR_RETURN(std::string line, Measure(context, plan));
    rows.push_back({Value::Text(std::move(line))});
  }
  return GiveRelation(context, {{"plan", ValueType::kText}}, std::move(rows), {});
}

}  // namespace sippar::query
