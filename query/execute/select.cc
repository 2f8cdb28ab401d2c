// SPDX-License-Identifier: Apache-2.0
#include "query/execute/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/base/stop_budget.h"
#include "engine/program/evaluate.h"
#include "query/analyze/compile.h"
#include "query/execute/local_run.h"
#include "query/execute/scatter.h"
#include "query/execute/unnest.h"
#include "query/execute/unpack.h"
#include "query/plan/plan_sample.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

// Returns the program of the plan. For SAMPLE n ROWS, the returned program has an additional test,
// which only the rows with the n least hashes pass.
StatusOr<engine::Program> SampledProgram(const StatementContext& context, const SelectPlan& plan) {
  if (plan.sample_rows == 0) return plan.program;
  std::vector<int64_t> hashes;
  const auto wanted = static_cast<std::ptrdiff_t>(plan.sample_rows);
  auto keep_least = [&] {
    if (std::ssize(hashes) <= wanted) return;
    std::nth_element(hashes.begin(), hashes.begin() + wanted, hashes.end());
    hashes.resize(plan.sample_rows);
  };
  auto add = [&](const std::vector<Row>& rows) -> StatusOr<bool> {
    for (const Row& row : rows) hashes.push_back(row[0].integer());
    if (std::ssize(hashes) >= 2 * wanted) keep_least();
    return true;
  };
  RETURN_IF_ERROR(
      RunOnTablets(context, plan.table, HashesOfRows(plan.program, plan.sample_rows), add));
  keep_least();
  engine::Program program = plan.program;
  // The read finds fewer than n rows, so all of them belong to the sample.
  if (std::ssize(hashes) < wanted) return program;
  const int64_t greatest = *std::max_element(hashes.begin(), hashes.end());
  AddTest(HashIs(engine::Function::kLessEqual, plan.sample_row, greatest), &program.where);
  return program;
}

Status RunTable(const StatementContext& context, const SelectPlan& plan, ResultStages* stages) {
  ASSIGN_OR_RETURN(const engine::Program program, SampledProgram(context, plan));
  if (!program.aggregate) {
    return RunOnTablets(context, plan.table, program,
                        [&](std::vector<Row> rows) { return stages->Add(std::move(rows)); });
  }
  engine::GroupBy groups(plan.program.group_by.size(), plan.program.aggregates);
  // One batch may hold a million groups, so the loop over a batch checks for a stop, too.
  engine::StopBudget budget(&context.stop);
  // Each tablet sends its groups with partial aggregates, and a group may come from several
  // tablets. So nothing can be passed on before the last tablet has answered.
  auto merge = [&](const std::vector<Row>& rows) -> StatusOr<bool> {
    for (const Row& row : rows) {
      RETURN_IF_ERROR(budget.Spend(row.size() * engine::StopBudget::kStep));
      Status merged = groups.Merge(row);
      if (!merged.ok()) return WithQueryCode(merged);
    }
    return true;
  };
  RETURN_IF_ERROR(RunOnTablets(context, plan.table, program, merge));
  auto rows = groups.Finish();
  if (!rows.ok()) return WithQueryCode(rows.status());
  return stages->AddGroups(*std::move(rows));
}

// Lines that wait to be passed on together may use this much memory, besides the last line.
constexpr size_t kLinesBytes = 1 << 20;

size_t SizeOf(const Row& row) {
  size_t size = sizeof(Row);
  for (const Value& value : row) size += value.MemoryBytes();
  return size;
}

// Takes rows with lists of versions and passes each version on to `next`, as a row of its own.
RowConsumer Unpacking(const SelectPlan& plan, const RowConsumer& next) {
  return [&plan, next](const std::vector<Row>& input) -> StatusOr<bool> {
    auto pass_on = [&next](Row row) {
      std::vector<Row> one;
      one.push_back(std::move(row));
      return next(std::move(one));
    };
    for (const Row& row : input) {
      ASSIGN_OR_RETURN(bool goes_on, UnpackVersions(row, plan.unpacked, pass_on));
      if (!goes_on) return false;
    }
    return true;
  };
}

// Runs the program of a plan in this process and passes what it puts out to the stages.
class RelationRun {
 public:
  RelationRun(const StatementContext& context, const SelectPlan& plan, ResultStages* stages)
      : context_(context), plan_(plan), stages_(stages), budget_(&context.stop) {}

  Status Prepare() {
    auto prepared = LocalRun::Prepare(plan_.program, context_.stop);
    if (!prepared.ok()) return WithQueryCode(prepared.status());
    run_ = *std::move(prepared);
    return OkStatus();
  }

  // False if the result is complete.
  StatusOr<bool> AddRows(const std::vector<Row>& input) {
    for (const Row& row : input) RETURN_IF_ERROR(Take(row));
    return PassOn();
  }

  // Adds the lines that UNNEST makes of the rows. False if the result is complete.
  StatusOr<bool> AddLines(LineMaker* maker, std::vector<Row> input) {
    auto add = [this](const Row& line) -> StatusOr<bool> {
      const size_t before = outputs_.size();
      RETURN_IF_ERROR(Take(line));
      if (outputs_.size() > before) outputs_bytes_ += SizeOf(outputs_.back());
      return outputs_bytes_ < kLinesBytes ? true : PassOn();
    };
    for (Row& row : input) {
      ASSIGN_OR_RETURN(bool goes_on, maker->MakeLines(std::move(row), add));
      if (!goes_on) return false;
    }
    return PassOn();
  }

  Status Finish() {
    if (!plan_.program.aggregate) return OkStatus();
    auto groups = run_->FinishGroups();
    if (!groups.ok()) return WithQueryCode(groups.status());
    return stages_->AddGroups(*std::move(groups));
  }

 private:
  Status Take(const Row& row) {
    RETURN_IF_ERROR(budget_.Spend(row.size() * engine::StopBudget::kStep));
    Status status = run_->Add(row, &outputs_);
    return status.ok() ? status : WithQueryCode(status);
  }

  StatusOr<bool> PassOn() {
    if (outputs_.empty()) return true;
    std::vector<Row> rows = std::exchange(outputs_, {});
    outputs_bytes_ = 0;
    return stages_->Add(std::move(rows));
  }

  const StatementContext& context_;
  const SelectPlan& plan_;
  ResultStages* const stages_;
  engine::StopBudget budget_;
  std::unique_ptr<LocalRun> run_;
  std::vector<Row> outputs_;  // not passed on yet
  size_t outputs_bytes_ = 0;  // of the lines in outputs_
};

// Runs the plan of the inner SELECT, or of what is before UNNEST in FROM, into `run`.
Status RunInput(const StatementContext& context, const SelectPlan& plan, RelationRun* run) {
  // `next` says how AFTER would continue the input. It is dropped: AFTER needs a position in a
  // table, and the rows of the outer SELECT have none.
  std::string next;
  auto add = [run](const std::vector<Row>& rows) { return run->AddRows(rows); };
  if (plan.unnests.empty()) {
    const RowConsumer rows = plan.unpacked.empty() ? RowConsumer(add) : Unpacking(plan, add);
    return RunSelect(context, *plan.input, rows, &next);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<LineMaker> maker, LineMaker::Prepare(plan, context.stop));
  auto add_lines = [&](std::vector<Row> rows) {
    return run->AddLines(maker.get(), std::move(rows));
  };
  return RunSelect(context, *plan.input, add_lines, &next);
}

Status RunRelation(const StatementContext& context, const SelectPlan& plan, ResultStages* stages) {
  RelationRun run(context, plan, stages);
  RETURN_IF_ERROR(run.Prepare());
  if (plan.source == SelectPlan::kNothing) {
    // SELECT without FROM has one row without values, as in SQL: SELECT 1 returns one row.
    RETURN_IF_ERROR(run.AddRows({Row()}).status());
  } else if (plan.source == SelectPlan::kValues) {
    RETURN_IF_ERROR(run.AddRows(plan.values).status());
  } else {
    RETURN_IF_ERROR(RunInput(context, plan, &run));
  }
  return run.Finish();
}

}  // namespace

Status RunSelect(const StatementContext& context, const SelectPlan& plan,
                 const RowConsumer& consumer, std::string* next) {
  ResultStages stages(context, plan, consumer);
  if (plan.source == SelectPlan::kTable) {
    RETURN_IF_ERROR(RunTable(context, plan, &stages));
  } else {
    RETURN_IF_ERROR(RunRelation(context, plan, &stages));
  }
  Status status = stages.Finish();
  *next = stages.next();
  return status;
}

void GiveRows(const StatementContext& context, std::vector<Row> rows, bool* goes_on) {
  context.summary->rows += rows.size();
  *goes_on = context.sink->Rows(std::move(rows));
}

Status ExecuteSelect(const StatementContext& context, const syntax::Select& select) {
  ASSIGN_OR_RETURN(SelectPlan plan, PlanSelect(context, select));
  context.summary->kind = ResultKind::kRows;
  for (const std::string& notice : plan.notices) context.summary->notices.push_back(notice);
  // Called after planning, so that a statement with an error prints no header.
  context.sink->Begin(plan.columns);
  return RunSelect(
      context, plan,
      [&](std::vector<Row> rows) -> StatusOr<bool> {
        bool goes_on = true;
        GiveRows(context, std::move(rows), &goes_on);
        // Showing the rows may have taken long. A sink that Ctrl-C interrupted also says that it
        // has enough; the statement must then end as cancelled, not as complete.
        RETURN_IF_ERROR(context.CheckStop());
        return goes_on;
      },
      &context.summary->next);
}

Status GiveRelation(const StatementContext& context, const std::vector<ResultColumn>& columns,
                    std::vector<Row> rows, const syntax::OptionalExpr& where) {
  context.summary->kind = ResultKind::kRows;
  if (where) {
    std::vector<std::string> names;
    std::vector<DataType> types;
    for (const ResultColumn& column : columns) {
      names.push_back(column.name);
      types.push_back(column.type);
    }
    RelationScope scope("SHOW", names, types);
    ExpressionCompiler compiler(context, &scope);
    ASSIGN_OR_RETURN(Expression test, compiler.CompileTest(*where));
    ASSIGN_OR_RETURN(auto evaluator, engine::Evaluator::Prepare(test, &context.stop));
    std::vector<Row> passed;
    for (Row& row : rows) {
      bool pass = false;
      Status status = evaluator->EvaluateTest(row, nullptr, &pass);
      if (!status.ok()) return WithQueryCode(status, where->span);
      if (pass) passed.push_back(std::move(row));
    }
    rows = std::move(passed);
  }
  context.sink->Begin(columns);
  bool goes_on = true;
  GiveRows(context, std::move(rows), &goes_on);
  return OkStatus();
}

}  // namespace sippar::query
