// UPDATE, DELETE, INCREMENT and APPEND find the rows that WHERE means and then run one atomic row
// update on each. The statement as a whole is not atomic.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>

#include "cluster/api/outcome.h"
#include "query/execute/row_writer.h"
#include "query/execute/scatter.h"
#include "query/execute/select.h"
#include "query/execute/transaction.h"
#include "query/execute/write.h"
#include "query/plan/rows_plan.h"
#include "query/plan/select_plan.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::RowUpdateResult;

constexpr uint64_t kCountedRowsMax = 1000;  // rows counted for the hint of error UNSAFE

struct Totals {
  uint64_t rows = 0;     // rows to which the update was applied
  uint64_t changed = 0;  // rows in which something was deleted
  uint64_t cells_set = 0, columns_deleted = 0, cells_deleted = 0, rows_deleted = 0;
  Row last_returning;
};

// Returns the size of the table as text for a hint: "4 rows", "more than 1000 rows" if there are
// more than kCountedRowsMax, or "the whole table" if the rows could not be counted.
std::string CountRows(const StatementContext& context, const std::string& table) {
  SelectPlan plan;
  plan.program.read.keys_only = true;
  plan.program.limit = kCountedRowsMax + 1;
  uint64_t rows = 0;
  Status status = RunOnTablets(context, table, plan.program,
                               [&](const std::vector<Row>& batch) -> StatusOr<bool> {
                                 rows += batch.size();
                                 return true;
                               });
  if (!status.ok()) return "the whole table";
  if (rows > kCountedRowsMax) return fmt::format("more than {} rows", kCountedRowsMax);
  return Plural(rows, "row");
}

Status CheckSafe(const StatementContext& context, const RowsPlan& plan) {
  if (!IsUnsafe(context, plan)) return OkStatus();
  return ErrorAt(
      "UNSAFE", plan.target.span,
      "the statement would scan the whole table: there is no test on row",
      fmt::format("SET safe_updates = off to scan {}", CountRows(context, plan.schema->name)),
      StatusCode::kFailedPrecondition);
}

// Scans the plan's ranges and calls `handle` with the key of each row that passes WHERE.
Status ScanKeys(const StatementContext& context, const RowsPlan& plan,
                const std::function<Status(const std::string&)>& handle) {
  return RunOnTablets(context, plan.schema->name, KeyScan(context, plan).program,
                      [&](const std::vector<Row>& rows) -> StatusOr<bool> {
                        for (const Row& row : rows) RETURN_IF_ERROR(handle(row[0].bytes()));
                        return true;
                      });
}

// Runs the same update on many rows, one after another, and adds up the results.
class RowUpdater {
 public:
  RowUpdater(const StatementContext& context, const engine::TableSchema& schema,
             engine::RowUpdate update, const Span& span, bool returns)
      : context_(context),
        table_(schema.name),
        update_(std::move(update)),
        span_(span),
        returns_(returns) {}

  Status Run(const std::string& row) {
    RETURN_IF_ERROR(context_.CheckStop());
    update_.row = row;
    auto updated = RunUpdate(context_, table_, update_, span_);
    lacks_outcome_ = !context_.session->transaction && cluster::LacksOutcome(updated.status());
    ASSIGN_OR_RETURN(RowUpdateResult result, std::move(updated));
    if (!result.applied) return OkStatus();
    ++totals_.rows;
    totals_.cells_set += result.cells_set;
    totals_.columns_deleted += result.columns_deleted;
    totals_.cells_deleted += result.cells_deleted;
    if (result.columns_deleted > 0) ++totals_.changed;
    if (result.row_deleted) ++totals_.rows_deleted;
    totals_.last_returning = result.returning;
    if (returns_) {
      bool goes_on = true;
      GiveRows(context_, {std::move(result.returning)}, &goes_on);
    }
    return OkStatus();
  }
  const Totals& totals() const { return totals_; }
  bool lacks_outcome() const { return lacks_outcome_; }  // of the last row

 private:
  const StatementContext& context_;
  std::string table_;
  engine::RowUpdate update_;
  Span span_;
  bool returns_;
  Totals totals_;
  bool lacks_outcome_ = false;
};

Status RunOnRows(const StatementContext& context, const RowsPlan& plan, RowUpdater* updater) {
  if (plan.how == RowsPlan::kListed) {
    for (const std::string& key : plan.keys) RETURN_IF_ERROR(updater->Run(key));
    return OkStatus();
  }
  // Rows are updated while the scan is still running. The scan moves in key order and an update
  // changes only its own row, so no row is updated twice.
  return ScanKeys(context, plan, [&](const std::string& key) { return updater->Run(key); });
}

// Runs the planned update on every row of the target. An error says how many rows were changed.
StatusOr<Totals> UpdateRows(const StatementContext& context, RowsPlan* plan) {
  RowUpdater updater(context, *plan->schema, FinishUpdate(plan), plan->target.span, plan->returns);
  Status status = RunOnRows(context, *plan, &updater);
  if (status.ok()) return updater.totals();
  const bool lacks_outcome = updater.lacks_outcome();
  if (updater.totals().rows == 0 && !lacks_outcome) return status;
  QueryError error = QueryErrorOf(status);
  error.message += "; " + KnownDone(updater.totals().rows, lacks_outcome, "changed");
  if (!error.hint.empty()) error.hint += "; ";
  error.hint += lacks_outcome ? "read the row before you run it again: it may be changed already"
                : context.session->transaction ? "ROLLBACK takes the changes back"
                                               : "what is changed stays changed";
  return ToStatus(error, status.code());
}

void BeginReturning(const StatementContext& context, const UpdateBuilder& builder) {
  if (builder.returning_columns().empty()) return;
  context.summary->kind = ResultKind::kRows;
  context.sink->Begin(builder.returning_columns());
}

Status FinishWrite(const StatementContext& context, const Totals& totals, bool conditional) {
  if (conditional) {
    context.summary->applied = totals.rows > 0;
    context.summary->tag =
        fmt::format("applied: {}, {}", totals.rows > 0, Plural(totals.rows, "row"));
  } else {
    context.summary->tag =
        fmt::format("{}, {} written", Plural(totals.rows, "row"), Plural(totals.cells_set, "cell"));
  }
  return OkStatus();
}

Status DropRows(const StatementContext& context, const RowsPlan& plan) {
  RowWriter writer(context, plan.schema->name);
  auto drop = [&](const std::string& key) -> Status {
    engine::RowMutation mutation(key);
    mutation.DeleteRow();
    return writer.Add(std::move(mutation), plan.target.span);
  };
  Status status = ScanKeys(context, plan, drop);
  if (status.ok()) status = writer.Flush();
  if (!status.ok()) return WithRowsDone(status, writer, "deleted");
  context.summary->tag = fmt::format("{} deleted", Plural(writer.rows(), "row"));
  return OkStatus();
}

// Runs a plan and reports the number of cells that it wrote.
Status UpdateAndReport(const StatementContext& context, RowsPlan* plan) {
  RETURN_IF_ERROR(CheckSafe(context, *plan));
  BeginReturning(context, *plan->builder);
  ASSIGN_OR_RETURN(Totals totals, UpdateRows(context, plan));
  return FinishWrite(context, totals, plan->conditional);
}

}  // namespace

Status ExecuteUpdate(const StatementContext& context, const syntax::Update& update) {
  ASSIGN_OR_RETURN(RowsPlan plan, PlanRows(context, update));
  return UpdateAndReport(context, &plan);
}

Status ExecuteIncrement(const StatementContext& context, const syntax::Increment& increment) {
  ASSIGN_OR_RETURN(RowsPlan plan, PlanRows(context, increment));
  return UpdateAndReport(context, &plan);
}

Status ExecuteAppend(const StatementContext& context, const syntax::Append& append) {
  ASSIGN_OR_RETURN(RowsPlan plan, PlanRows(context, append));
  return UpdateAndReport(context, &plan);
}

Status ExecuteDelete(const StatementContext& context, const syntax::Delete& statement) {
  ASSIGN_OR_RETURN(RowsPlan plan, PlanRows(context, statement));
  RETURN_IF_ERROR(CheckSafe(context, plan));
  if (plan.how == RowsPlan::kDropped) return DropRows(context, plan);
  ASSIGN_OR_RETURN(Totals totals, UpdateRows(context, &plan));
  if (statement.condition) return FinishWrite(context, totals, true);
  std::string& tag = context.summary->tag;
  const bool spans = statement.times.time || !statement.times.at.empty();
  if (statement.patterns.empty() && !spans) {
    tag = fmt::format("{} deleted", Plural(totals.rows_deleted, "row"));
  } else if (spans) {
    tag = fmt::format("{} changed, {} deleted", Plural(totals.changed, "row"),
                      Plural(totals.cells_deleted, "cell"));
  } else {
    tag = fmt::format("{} changed, {} deleted", Plural(totals.changed, "row"),
                      Plural(totals.columns_deleted, "column"));
  }
  return OkStatus();
}

}  // namespace sippar::query
