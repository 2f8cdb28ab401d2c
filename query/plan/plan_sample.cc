// Plans SAMPLE. The tablets choose rows by the hash of their keys, so the same rows come every
// time, and a larger sample contains the rows of a smaller one.
// SPDX-License-Identifier: Apache-2.0
#include "query/plan/plan_sample.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "query/plan/row_ranges.h"
#include "query/plan/select_planner.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::Function;
using syntax::ReadOptions;

// Limit of n in SAMPLE n ROWS: the hashes of the n rows are held in memory.
constexpr uint64_t kSampleRowsMax = 1'000'000;

// Returns the bound for a sample of `share` of all rows: the hashes of this share of the rows are
// below the bound, because the hashes are spread evenly over all INT64 values.
int64_t BelowWhich(double share) {
  const double width = std::ldexp(share, 64);  // share < 1, so it fits into 64 bits
  return static_cast<int64_t>(static_cast<uint64_t>(width) + (uint64_t{1} << 63));
}

StatusOr<double> ShareOf(const StatementContext& context, const ReadOptions& options) {
  ASSIGN_OR_RETURN(Value value, CompileConstant(context, *options.sample));
  const bool percent = options.sample_unit == ReadOptions::kPercent;
  const double most = percent ? 100 : 1;
  const double given = value.AsReal();
  if (value.is_number() && given > 0 && given <= most) return given / most;
  return ErrorAt(
      "RANGE", options.sample->span,
      fmt::format("SAMPLE takes a number above 0 and up to {}, not {}", most, value.Print()),
      "SAMPLE 0.01, SAMPLE 1 PERCENT, SAMPLE 1000 ROWS");
}

}  // namespace

Expression HashIs(Function comparison, Expression row, int64_t bound) {
  Expression hash = Expression::Call(Function::kHash64, {std::move(row)});
  return Expression::Call(comparison, {std::move(hash), Expression::Literal(Value::Int64(bound))});
}

void AddTest(Expression test, std::optional<Expression>* where) {
  // The new test comes first, since it is cheap: the rest of WHERE then sees only rows of the
  // sample.
  std::vector<Expression> tests;
  tests.push_back(std::move(test));
  if (*where) tests.push_back(*std::move(*where));
  *where = JoinAnd(std::move(tests));
}

Status SelectPlanner::PlanSample() {
  const ReadOptions& options = select.read;
  if (!options.sample) return OkStatus();
  if (source != nullptr) return source->PlanSample();
  if (plan.source != SelectPlan::kTable) {
    return ErrorAt("SYNTAX", options.sample->span, "SAMPLE takes rows of a table, not of a SELECT",
                   "write it into the inner SELECT");
  }
  plan.sample_row =
      row_scope != nullptr ? row_scope->Slot(SlotDef::kRow) : cell_scope->Slot(SlotDef::kRow);
  if (options.sample_unit == ReadOptions::kRows) {
    ASSIGN_OR_RETURN(plan.sample_rows, CompileCount(context, *options.sample, "SAMPLE", 1));
    if (plan.sample_rows <= kSampleRowsMax) return OkStatus();
    return ErrorAt(
        "RANGE", options.sample->span,
        fmt::format("SAMPLE takes at most {} rows, not {}", kSampleRowsMax, plan.sample_rows),
        "SAMPLE n PERCENT takes any share");
  }
  ASSIGN_OR_RETURN(const double share, ShareOf(context, options));
  if (share < 1) {
    AddTest(HashIs(Function::kLess, plan.sample_row, BelowWhich(share)), &plan.program.where);
  }
  return OkStatus();
}

engine::Program HashesOfRows(const engine::Program& program, uint64_t rows) {
  engine::Program hashes;
  hashes.read.rows = program.read.rows;
  hashes.read.time = program.read.time;
  hashes.read.keys_only = true;
  hashes.slots = {{SlotDef::kRow, 0}};
  hashes.order_by = {{Expression::Call(Function::kHash64, {Expression::Slot(0)}), false}};
  hashes.limit = rows;
  hashes.now_us = program.now_us;
  return hashes;
}

}  // namespace sippar::query
