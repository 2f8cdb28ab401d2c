// UPDATE, DELETE, INCREMENT and APPEND find the rows that WHERE means and then run one atomic row
// update on each. The statement as a whole is not atomic. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/model/schema.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/scatter.h"
#include "query/execute/select.h"
#include "query/execute/transaction.h"
#include "query/execute/write.h"
#include "query/plan/row_ranges.h"
#include "query/plan/select_plan.h"
#include "query/plan/update_builder.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::RowUpdateResult;

constexpr uint64_t kCountedRowsMax = 1000;  // the hint of error UNSAFE counts no further

struct Totals {
  uint64_t rows = 0;     // rows to which the update was applied
  uint64_t changed = 0;  // rows in which something was deleted
  uint64_t cells_set = 0, columns_deleted = 0, cells_deleted = 0, rows_deleted = 0;
  Row last_returning;
};

// WHERE of a writing statement, taken apart.
struct Target {
  engine::RowSet rows;                     // rows that may pass WHERE
  std::optional<engine::Expression> rest;  // tests that `rows` does not express
  NamedRows named;                         // rows that INCREMENT and APPEND may create
  Span span;

  // True if `rows` is a list of single keys: each is updated without a scan.
  bool IsListed() const {
    const auto& ranges = rows.ranges();
    return std::all_of(ranges.begin(), ranges.end(),
                       [](const engine::RowRange& range) { return range.IsSingle(); });
  }
};

StatusOr<Target> FindTarget(const StatementContext& context, UpdateBuilder* builder,
                            const syntax::Expr& where) {
  ExpressionCompiler compiler(context, builder->scope());
  ASSIGN_OR_RETURN(engine::Expression test, compiler.CompileTest(where));
  Target target;
  engine::StopBudget budget(&context.stop);
  const std::vector<SlotDef>& slots = builder->scope()->slots();
  ASSIGN_OR_RETURN(target.named, RowsNamed(test, slots, &budget));
  target.rest = std::move(test);
  ASSIGN_OR_RETURN(target.rows, ExtractRows(slots, &target.rest, &budget));
  target.span = where.span;
  return target;
}

// The size of the table for a hint, "4 rows", counted up to kCountedRowsMax.
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

Status CheckSafe(const StatementContext& context, const std::string& table, const Target& target) {
  if (!target.rows.IsAll() || !context.session->settings.safe_updates) return OkStatus();
  return ErrorAt("UNSAFE", target.span,
                 "the statement would scan the whole table: there is no test on row",
                 fmt::format("SET safe_updates = off to scan {}", CountRows(context, table)),
                 StatusCode::kFailedPrecondition);
}

// Scans the target's ranges and calls `handle` with the keys of the rows that pass, in batches.
Status ScanKeys(const StatementContext& context, const engine::TableSchema& schema,
                UpdateBuilder* builder, const Target& target,
                const std::function<Status(const std::vector<std::string>&)>& handle) {
  SelectPlan plan;
  engine::Program& program = plan.program;
  program.now_us = context.now_us;
  program.counter_families = CounterFamilies(schema);
  program.where = target.rest;
  program.outputs.push_back(builder->scope()->Slot(SlotDef::kRow));
  program.slots = builder->scope()->slots();
  ChooseColumns(schema,
                target.rest ? builder->scope()->patterns() : std::vector<engine::ColumnPattern>{},
                &plan);
  if (!target.rest) {
    program.slots = {{SlotDef::kRow, 0}};
    program.outputs = {engine::Expression::Slot(0)};
  }
  // The scan reads the same versions for the test as the update will under the row's lock: all of
  // them, if the test counts versions, else the newest.
  program.read.versions_per_column = NeedsAllVersions(program.slots) ? 0 : 1;
  program.read.rows = target.rows;
  return RunOnTablets(context, schema.name, program, [&](std::vector<Row> rows) -> StatusOr<bool> {
    std::vector<std::string> keys;
    for (Row& row : rows) keys.push_back(row[0].TakeBytes());
    RETURN_IF_ERROR(handle(keys));
    return true;
  });
}

// Runs one update on row after row and adds up the results.
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
    ASSIGN_OR_RETURN(RowUpdateResult result, RunUpdate(context_, table_, update_, span_));
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

 private:
  const StatementContext& context_;
  std::string table_;
  engine::RowUpdate update_;
  Span span_;
  bool returns_;
  Totals totals_;
};

// Runs the built update on every row of the target. The rest of WHERE becomes a condition of the
// update, although the scan has tested it: the row may have changed before its lock was taken.
StatusOr<Totals> UpdateRows(const StatementContext& context, const engine::TableSchema& schema,
                            UpdateBuilder* builder, const Target& target, bool returns) {
  builder->AddCondition(target.rest);
  RowUpdater updater(context, schema, builder->Finish(), target.span, returns);
  if (target.IsListed()) {
    for (const engine::RowRange& range : target.rows.ranges()) {
      // No row has an invalid key, so `row = ''` matches nothing rather than fails.
      bool may_exist = engine::ValidateRowKey(range.start).ok();
      if (may_exist) RETURN_IF_ERROR(updater.Run(range.start));
    }
    return updater.totals();
  }
  // Rows are updated while the scan is still running. It moves on in key order and an update
  // changes only its own row, so no row is updated twice.
  auto update_all = [&](const std::vector<std::string>& keys) -> Status {
    for (const std::string& key : keys) RETURN_IF_ERROR(updater.Run(key));
    return OkStatus();
  };
  RETURN_IF_ERROR(ScanKeys(context, schema, builder, target, update_all));
  return updater.totals();
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

// Deletes whole rows that only their range chooses. Nothing has to be tested under the lock of a
// row, so the deletions are sent in batches, which is faster than an update for each row.
Status DropRows(const StatementContext& context, const engine::TableSchema& schema,
                UpdateBuilder* builder, const Target& target) {
  RowWriter writer(context, schema.name);
  auto drop_all = [&](const std::vector<std::string>& keys) -> Status {
    for (const std::string& key : keys) {
      engine::RowMutation mutation(key);
      mutation.DeleteRow();
      RETURN_IF_ERROR(writer.Add(std::move(mutation), target.span));
    }
    return OkStatus();
  };
  RETURN_IF_ERROR(ScanKeys(context, schema, builder, target, drop_all));
  RETURN_IF_ERROR(writer.Flush());
  context.summary->tag = fmt::format("{} deleted", Plural(writer.rows(), "row"));
  return OkStatus();
}

}  // namespace

Status ExecuteUpdate(const StatementContext& context, const syntax::Update& update) {
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, update.table));
  UpdateBuilder builder(context, *schema);
  ASSIGN_OR_RETURN(Target target, FindTarget(context, &builder, update.where));
  RETURN_IF_ERROR(CheckSafe(context, schema->name, target));
  builder.SetOnlyIfExists();
  for (const syntax::Assign& assign : update.assigns) RETURN_IF_ERROR(builder.AddAssign(assign));
  RETURN_IF_ERROR(builder.AddCondition(update.condition));
  RETURN_IF_ERROR(builder.AddReturning(update.returning));
  BeginReturning(context, builder);
  ASSIGN_OR_RETURN(Totals totals,
                   UpdateRows(context, *schema, &builder, target, !update.returning.empty()));
  return FinishWrite(context, totals, update.condition.has_value());
}

Status ExecuteDelete(const StatementContext& context, const syntax::Delete& statement) {
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, statement.table));
  UpdateBuilder builder(context, *schema);
  Target target;
  if (statement.all_rows) {
    target.rows = engine::RowSet::All();
    target.span = statement.table.span;
  } else {
    ASSIGN_OR_RETURN(target, FindTarget(context, &builder, *statement.where));
    RETURN_IF_ERROR(CheckSafe(context, schema->name, target));
  }
  bool spans = statement.times.time || !statement.times.at.empty();
  bool whole_rows = statement.patterns.empty() && !spans;
  bool plain = whole_rows && !statement.condition && !target.rest && !target.IsListed() &&
               !context.session->transaction;
  if (plain) return DropRows(context, *schema, &builder, target);
  builder.SetOnlyIfExists();
  RETURN_IF_ERROR(builder.AddDeletes(statement.patterns, statement.times));
  RETURN_IF_ERROR(builder.AddCondition(statement.condition));
  ASSIGN_OR_RETURN(Totals totals, UpdateRows(context, *schema, &builder, target, false));
  if (statement.condition) return FinishWrite(context, totals, true);
  std::string& tag = context.summary->tag;
  if (whole_rows) {
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

namespace {

// INCREMENT and APPEND create a missing row if WHERE names its key and holds for a row without
// cells.
// Which rows are named depends on the text of WHERE alone, not on the ranges that the planner
// derives from it: a better planner must not create other rows.
StatusOr<Totals> ReadModifyWrite(const StatementContext& context, const engine::TableSchema& schema,
                                 UpdateBuilder* builder, const Target& target, bool returns) {
  RETURN_IF_ERROR(CheckSafe(context, schema.name, target));
  if (!target.named) {
    builder->SetOnlyIfExists();
    BeginReturning(context, *builder);
    return UpdateRows(context, schema, builder, target, returns);
  }
  for (const std::string& row : *target.named) {
    Status valid = engine::ValidateRowKey(row);
    if (!valid.ok()) return ErrorAt("BAD_ROW_KEY", target.span, MessageOf(valid));
  }
  BeginReturning(context, *builder);
  builder->AddCondition(target.rest);
  RowUpdater updater(context, schema, builder->Finish(), target.span, returns);
  for (const std::string& row : *target.named) {
    if (target.rows.Contains(row)) RETURN_IF_ERROR(updater.Run(row));
  }
  return updater.totals();
}

}  // namespace

Status ExecuteIncrement(const StatementContext& context, const syntax::Increment& increment) {
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, increment.table));
  UpdateBuilder builder(context, *schema);
  ASSIGN_OR_RETURN(Target target, FindTarget(context, &builder, increment.where));
  engine::Expression by = engine::Expression::Literal(Value::Int64(1));
  if (increment.by) {
    ExpressionCompiler compiler(context, builder.scope());
    ASSIGN_OR_RETURN(by, compiler.Compile(*increment.by));
  }
  RETURN_IF_ERROR(builder.AddWrite(engine::RowWrite::kIncrement, increment.column, std::move(by)));
  RETURN_IF_ERROR(builder.AddReturning(increment.returning));
  ASSIGN_OR_RETURN(Totals totals, ReadModifyWrite(context, *schema, &builder, target,
                                                  !increment.returning.empty()));
  return FinishWrite(context, totals, false);
}

Status ExecuteAppend(const StatementContext& context, const syntax::Append& append) {
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, append.table));
  UpdateBuilder builder(context, *schema);
  ASSIGN_OR_RETURN(Target target, FindTarget(context, &builder, append.where));
  ExpressionCompiler compiler(context, builder.scope());
  ASSIGN_OR_RETURN(engine::Expression value, compiler.Compile(append.value));
  RETURN_IF_ERROR(builder.AddWrite(engine::RowWrite::kAppend, append.column, std::move(value)));
  RETURN_IF_ERROR(builder.AddReturning(append.returning));
  ASSIGN_OR_RETURN(Totals totals,
                   ReadModifyWrite(context, *schema, &builder, target, !append.returning.empty()));
  return FinishWrite(context, totals, false);
}

}  // namespace sippar::query
