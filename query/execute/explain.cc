// EXPLAIN prints what a statement would do; EXPLAIN ANALYZE runs a SELECT and prints what the run
// read.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/explain.h"

#include <fmt/format.h>

#include "query/analyze/compile.h"
#include "query/execute/select.h"
#include "query/format/json_value.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

// The table at the bottom of the plan, below any subselects; nullptr if the plan reads no table.
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

std::string JsonCounters(const engine::ReadCounters& c) {
  return fmt::format(
      "{{\"groups_read\":{},\"groups_left\":{},\"entries_seen\":{},\"cells_returned\":{},"
      "\"seeks\":{},\"files_read\":{},\"files_by_key\":{},\"files_by_bloom\":{},"
      "\"files_by_time\":{},\"blocks_pinned\":{},\"blocks_cached\":{},\"blocks_from_disk\":{},"
      "\"blocks_by_time\":{},\"disk_bytes\":{},\"disk_reads\":{}}}",
      c.groups_read, c.groups_left, c.entries_seen, c.cells_returned, c.seeks, c.files_read,
      c.files_by_key, c.files_by_bloom, c.files_by_time, c.blocks_pinned, c.blocks_cached,
      c.blocks_from_disk, c.blocks_by_time, c.disk_bytes, c.disk_reads);
}

// Runs the plan, discards its rows and adds the time and the counters to `tree`.
Status Measure(const StatementContext& context, const SelectPlan& plan, PlanTree* tree) {
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
  tree->AddLine(fmt::format("ran: {} rows in {:.1f} ms; rows seen {}, cells seen {}, tablets {}",
                            rows, millis, session.rows_read.load(), session.cells_read.load(),
                            session.tablets_done.load()));
  for (std::string& line : PrintCounters(session.read_counters)) tree->AddLine(std::move(line));
  tree->AddJson("ran",
                fmt::format("{{\"rows\":{},\"ms\":{:.3f},\"rows_seen\":{},"
                            "\"cells_seen\":{},\"tablets\":{},\"counters\":{}}}",
                            rows, millis, session.rows_read.load(), session.cells_read.load(),
                            session.tablets_done.load(), JsonCounters(session.read_counters)));
  return OkStatus();
}

std::string JsonTime(int64_t time_us, int64_t none) {
  return time_us == none ? "null" : fmt::format("{}", time_us);
}

// Adds to the JSON what the tablets read: row ranges, columns, versions and times.
void AddRead(const SelectPlan& plan, PlanTree* tree) {
  const engine::ReadSpec& read = plan.program.read;
  tree->AddJson("rows", JsonRows(read.rows));
  std::vector<std::string> columns;
  size_t count = read.columns.size() - (plan.reads_every_column ? 1 : 0);
  for (size_t i = 0; i < count; ++i) columns.push_back(PrintColumn(read.columns[i]));
  tree->AddJson("columns", JsonList(columns));
  tree->AddJson("keys_only", JsonBool(read.columns.empty() && read.keys_only));
  tree->AddJson("every_column",
                JsonBool(plan.reads_every_column || (columns.empty() && !read.keys_only)));
  tree->AddJson("versions", read.versions_per_column == 0
                                ? "null"
                                : fmt::format("{}", read.versions_per_column));
  tree->AddJson("time_from", JsonTime(read.time.start_us, engine::kTimeMin));
  tree->AddJson("time_to", JsonTime(read.time.limit_us, engine::kTimeMax));
  tree->AddJson("reverse", JsonBool(read.reverse));
  if (plan.program.source == engine::Program::kEntries) tree->AddJson("with_deletes", "true");
}

// Adds to the JSON the facts that ExplainSelect shows as text.
void AddSelect(const SelectPlan& plan, const std::vector<cluster::TabletInfo>& tablets,
               PlanTree* tree) {
  const bool table = plan.source == SelectPlan::kTable;
  tree->AddJson("merge", plan.program.aggregate ? "\"partial aggregates\""
                         : plan.sorts           ? "\"sort\""
                                                : "\"storage order\"");
  if (plan.having) tree->AddJson("having", JsonText(plan.having->Print()));
  if (plan.distinct) tree->AddJson("distinct", "true");
  if (plan.limit_by != kNoLimit) tree->AddJson("limit_by", fmt::format("{}", plan.limit_by));
  if (plan.offset > 0) tree->AddJson("offset", fmt::format("{}", plan.offset));
  if (plan.limit != kNoLimit) tree->AddJson("limit", fmt::format("{}", plan.limit));
  if (table) {
    uint64_t read = 0;
    for (const cluster::TabletInfo& tablet : tablets) {
      if (!plan.program.read.rows.Intersection(engine::RowSet(tablet.range)).IsEmpty()) ++read;
    }
    tree->AddJson("table", JsonText(plan.table));
    tree->AddJson("tablets_read", fmt::format("{}", read));
    tree->AddJson("tablets", fmt::format("{}", tablets.size()));
    AddRead(plan, tree);
  }
  if (!plan.unnests.empty()) tree->AddJson("unnest", JsonList(PrintUnnests(plan)));
  tree->AddJson("slots", JsonList(PrintSlots(plan.program.slots, plan.program.read.columns)));
  std::vector<std::string> program;
  std::string text = plan.program.Print();
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    program.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  tree->AddJson("program", JsonList(program));
  if (plan.input == nullptr) return;
  PlanTree input("SELECT", "");
  AddSelect(*plan.input, tablets, &input);
  tree->AddJson("input", input.Json());
}

struct Explainer {
  const StatementContext& context;
  const syntax::Statement& statement;
  bool analyze = false;

  StatusOr<PlanTree> operator()(const syntax::Select& select) const {
    ASSIGN_OR_RETURN(SelectPlan plan, PlanSelect(context, select));
    ASSIGN_OR_RETURN(PlanTree tree, ExplainSelectPlan(context, plan));
    if (analyze) RETURN_IF_ERROR(Measure(context, plan, &tree));
    return tree;
  }
  StatusOr<PlanTree> operator()(const syntax::Insert& s) const { return ExplainWrite(context, s); }
  StatusOr<PlanTree> operator()(const syntax::Update& s) const { return ExplainWrite(context, s); }
  StatusOr<PlanTree> operator()(const syntax::Delete& s) const { return ExplainWrite(context, s); }
  StatusOr<PlanTree> operator()(const syntax::Increment& s) const {
    return ExplainWrite(context, s);
  }
  StatusOr<PlanTree> operator()(const syntax::Append& s) const { return ExplainWrite(context, s); }
  StatusOr<PlanTree> operator()(const syntax::Atomic& s) const { return ExplainWrite(context, s); }
  template <typename Other>
  StatusOr<PlanTree> operator()(const Other&) const {
    return ExplainOther(context, statement);
  }
};

}  // namespace

StatusOr<PlanTree> ExplainSelectPlan(const StatementContext& context, const SelectPlan& plan) {
  std::vector<cluster::TabletInfo> tablets;
  if (const std::string* table = TableOf(plan)) {
    ASSIGN_OR_RETURN(tablets, context.DoData(cluster::calls::ListTablets{*table}));
  }
  std::vector<std::string> lines = ExplainSelect(plan, tablets);
  PlanTree tree("SELECT", lines.front());
  for (size_t i = 1; i < lines.size(); ++i) tree.AddLine(std::move(lines[i]));
  AddSelect(plan, tablets, &tree);
  return tree;
}

Status ExecuteExplain(const StatementContext& context, const syntax::Explain& explain) {
  const bool json = SameWord(explain.format.text, "JSON");
  if (!json && !explain.format.empty() && !SameWord(explain.format.text, "TEXT")) {
    return ErrorAt("BAD_OPTION", explain.format.span,
                   fmt::format("unknown FORMAT {}", explain.format.text), "FORMAT json or text");
  }
  const syntax::Statement& statement = *explain.statement;
  if (explain.analyze && !std::holds_alternative<syntax::Select>(statement.node)) {
    return ErrorAt("UNSUPPORTED", statement.span,
                   "EXPLAIN ANALYZE runs its statement, and runs a SELECT only",
                   "EXPLAIN shows the plan without running it", StatusCode::kUnimplemented);
  }
  ASSIGN_OR_RETURN(PlanTree tree,
                   std::visit(Explainer{context, statement, explain.analyze}, statement.node));
  std::vector<Row> rows;
  if (json) {
    rows.push_back({Value::Text(tree.Json())});
  } else {
    for (const std::string& line : tree.lines()) rows.push_back({Value::Text(line)});
  }
  return GiveRelation(context, {{"plan", ValueType::kText}}, std::move(rows), {});
}

}  // namespace sippar::query
