// EXPLAIN prints the plan of a SELECT; EXPLAIN ANALYZE also runs it and prints what the run read.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/execute/select.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

// The table at the bottom of the plan, below any subselects; nullptr without FROM.
const std::string* TableOf(const SelectPlan& plan) {
  if (plan.source == SelectPlan::kTable) return &plan.table;
  return plan.input == nullptr ? nullptr : TableOf(*plan.input);
}

std::vector<std::string> PrintCounters(const engine::ReadCounters& c) {
  return {
      fmt::format("  groups read {}, left alone {}; entries seen {}, cells returned {}, seeks {}",
                  c.groups_read, c.groups_left, c.entries_seen, c.cells_returned, c.seeks),
      fmt::format("  sstables read {}, ruled out by key {}, by bloom {}, by time {}", c.files_read,
                  c.files_by_key, c.files_by_bloom, c.files_by_time),
      fmt::format(
          "  blocks pinned {}, cached {}, from disk {} ({} bytes in {} reads), ruled out by "
          "time {}",
          c.blocks_pinned, c.blocks_cached, c.blocks_from_disk, c.disk_bytes, c.disk_reads,
          c.blocks_by_time)};
}

// Runs the plan, drops its rows and prints the time and the counters.
StatusOr<std::vector<std::string>> Measure(const StatementContext& context,
                                           const SelectPlan& plan) {
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
  std::vector<std::string> lines = PrintCounters(session.read_counters);
  lines.insert(lines.begin(),
               fmt::format("ran: {} rows in {:.1f} ms; rows seen {}, cells seen {}, tablets {}",
                           rows, millis, session.rows_read.load(), session.cells_read.load(),
                           session.tablets_done.load()));
  return lines;
}

}  // namespace

Status ExecuteExplain(const StatementContext& context, const syntax::Explain& explain) {
  // The grammar accepts EXPLAIN before any statement; only SELECT has a plan to print.
  const auto* select = std::get_if<syntax::Select>(&explain.statement->node);
  if (!explain.format.empty()) {
    return ErrorAt("UNSUPPORTED", explain.format.span, "EXPLAIN FORMAT is not supported", {},
                   StatusCode::kUnimplemented);
  }
  if (select == nullptr) {
    return ErrorAt("UNSUPPORTED", {}, "EXPLAIN of anything but SELECT is not supported", {},
                   StatusCode::kUnimplemented);
  }
  ASSIGN_OR_RETURN(SelectPlan plan, PlanSelect(context, *select));
  std::vector<cluster::TabletInfo> tablets;
  if (const std::string* table = TableOf(plan)) {
    ASSIGN_OR_RETURN(tablets, context.client()->data()->Do(cluster::calls::ListTablets{*table}));
  }
  std::vector<Row> rows;
  for (std::string& line : ExplainSelect(plan, tablets)) {
    rows.push_back({Value::Text(std::move(line))});
  }
  if (explain.analyze) {
    ASSIGN_OR_RETURN(std::vector<std::string> lines, Measure(context, plan));
    for (std::string& line : lines) rows.push_back({Value::Text(std::move(line))});
  }
  return GiveRelation(context, {{"plan", ValueType::kText}}, std::move(rows), {});
}

}  // namespace sippar::query
