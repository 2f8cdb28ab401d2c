// Plans the read options of a SELECT and the columns to read, and encodes page tokens.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/checksum.h"
#include "engine/program/evaluate.h"
#include "query/analyze/compile.h"
#include "query/plan/row_ranges.h"
#include "query/plan/select_plan.h"
#include "query/plan/token_text.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::Expression;
using engine::SlotDef;

// The exclusive limit of a range that ends with `time_us`. kTimeMax as a limit means no end.
int64_t Behind(int64_t time_us) { return time_us == engine::kTimeMax ? time_us : time_us + 1; }

Status PlanCellsPer(const StatementContext& context, const syntax::CellsPer& per,
                    std::string_view what, uint64_t* count, uint64_t* offset) {
  ASSIGN_OR_RETURN(*count, CompileCount(context, per.count, what, 1));
  if (per.offset) {
    ASSIGN_OR_RETURN(*offset, CompileCount(context, *per.offset, "OFFSET"));
  }
  return OkStatus();
}

bool UsesSlot(const Expression& expression, const std::vector<SlotDef>& slots,
              bool (*wanted)(SlotDef::Kind)) {
  if (expression.kind == Expression::kSlot) return wanted(slots[expression.slot].kind);
  return std::any_of(expression.args.begin(), expression.args.end(),
                     [&](const Expression& arg) { return UsesSlot(arg, slots, wanted); });
}

bool IsRowSlot(SlotDef::Kind kind) { return kind == SlotDef::kRow; }

// The slots' values for a row that has no cell in their columns.
engine::Row EmptyRow(const std::vector<SlotDef>& slots) {
  engine::Row row;
  for (const SlotDef& slot : slots) {
    switch (slot.kind) {
      case SlotDef::kVersionCount:
        row.push_back(Value::Int64(0));
        break;
      case SlotDef::kMap:
      case SlotDef::kMapHistory:
        row.push_back(Value::Map({}));
        break;
      case SlotDef::kRow:
      case SlotDef::kFamily:
      case SlotDef::kQualifier:
      case SlotDef::kColumn:
      case SlotDef::kTimestamp:
      case SlotDef::kValue:
      case SlotDef::kNewest:
      case SlotDef::kNewestTime:
      case SlotDef::kHistory:
      case SlotDef::kLet:
      case SlotDef::kOp:
      case SlotDef::kVisible:
      case SlotDef::kTimeFrom:
      case SlotDef::kTimeTo:
      case SlotDef::kSequence:
        row.push_back(Value::Null());
        break;
    }
  }
  return row;
}

// Returns true also if the evaluation of the test fails: the scan must then read the row, so that
// the error is reported.
bool IsTrueOn(const engine::Row& row, const Expression& test) {
  auto evaluator = engine::Evaluator::Prepare(test);
  if (!evaluator.ok()) return true;
  bool result = true;
  Status status = (*evaluator)->EvaluateTest(row, nullptr, &result);
  return !status.ok() || result;
}

bool IsNullOn(const engine::Row& row, const Expression& expression) {
  auto evaluator = engine::Evaluator::Prepare(expression);
  const Value* value = nullptr;
  return evaluator.ok() && (*evaluator)->Evaluate(row, nullptr, &value).ok() && value->is_null();
}

// True if a row that has no cell in the slots' columns can change the result. If this is false, a
// read of only these columns suffices, although it does not find such rows.
bool EmptyRowsCount(const engine::Program& program) {
  // Computed once: there may be thousands of slots and as many tests.
  const engine::Row empty = EmptyRow(program.slots);
  for (const Expression& test : SplitAnd(program.where)) {
    if (UsesSlot(test, program.slots, IsRowSlot)) continue;
    if (!IsTrueOn(empty, test)) return false;
  }
  if (!program.aggregate || !program.group_by.empty()) return true;
  for (const engine::AggregateDef& def : program.aggregates) {
    if (def.kind == engine::AggregateDef::kCountRows) return true;
    bool is_null =
        !UsesSlot(def.argument, program.slots, IsRowSlot) && IsNullOn(empty, def.argument);
    if (!is_null) return true;
  }
  return false;
}

// True if `patterns` match every column of the table.
bool CoversEverything(const engine::TableSchema& schema,
                      const std::vector<engine::ColumnPattern>& patterns) {
  auto covered = [&](const engine::FamilySchema& family) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const engine::ColumnPattern& p) {
      bool named = p.family.kind == engine::NamePattern::kAny ||
                   (p.family.kind == engine::NamePattern::kExact && p.family.text == family.name);
      return named && p.qualifier.kind == engine::NamePattern::kAny;
    });
  };
  return std::all_of(schema.families.begin(), schema.families.end(), covered);
}

}  // namespace

void ChooseColumns(const engine::TableSchema& schema,
                   const std::vector<engine::ColumnPattern>& patterns, SelectPlan* plan) {
  engine::ReadSpec& read = plan->program.read;
  read.columns = patterns;
  if (patterns.empty()) {
    read.keys_only = true;
    return;
  }
  // CELLS PER counts the cells that the patterns choose; cells of an added column would count, too.
  bool counted = read.cells_per_row != 0 || read.cells_per_family != 0 ||
                 read.cells_per_row_offset != 0 || read.cells_per_family_offset != 0;
  if (counted || CoversEverything(schema, patterns) || !EmptyRowsCount(plan->program)) return;
  read.columns.push_back({engine::NamePattern::Any(), engine::NamePattern::Any()});
  plan->reads_every_column = true;
}

Status PlanReadOptions(const StatementContext& context, const syntax::ReadOptions& options,
                       const TableArgs& args, engine::ReadSpec* read) {
  if (options.as_of) {
    ASSIGN_OR_RETURN(int64_t time_us, CompileTime(context, *options.as_of));
    read->time.limit_us = std::min(read->time.limit_us, Behind(time_us));
  }
  // AS OF without VERSIONS returns one version of each column: the newest one at that time. The
  // setting `versions` is the default only for reads with neither AS OF nor VERSIONS.
  const bool says = options.versions || options.versions_all || args.has_versions;
  if ((options.as_of || args.has_as_of) && !says) read->versions_per_column = 1;
  if (options.time_from) {
    ASSIGN_OR_RETURN(int64_t start_us, CompileTime(context, *options.time_from));
    read->time.start_us = std::max(read->time.start_us, start_us);
  }
  if (options.time_to) {
    ASSIGN_OR_RETURN(int64_t limit_us, CompileTime(context, *options.time_to));
    read->time.limit_us = std::min(read->time.limit_us, limit_us);
  }
  // To the engine 0 means all versions, so a count must be at least 1, or VERSIONS 0 would read
  // everything.
  if (options.versions_all) read->versions_per_column = 0;
  if (options.versions) {
    ASSIGN_OR_RETURN(uint64_t versions, CompileCount(context, *options.versions, "VERSIONS", 1));
    read->versions_per_column = static_cast<uint32_t>(std::min<uint64_t>(versions, UINT32_MAX));
  }
  if (options.cells_per_row) {
    RETURN_IF_ERROR(PlanCellsPer(context, *options.cells_per_row, "CELLS PER ROW",
                                 &read->cells_per_row, &read->cells_per_row_offset));
  }
  if (options.cells_per_family) {
    RETURN_IF_ERROR(PlanCellsPer(context, *options.cells_per_family, "CELLS PER FAMILY",
                                 &read->cells_per_family, &read->cells_per_family_offset));
  }
  if (options.cells_per_column) {
    uint64_t count = 0, offset = 0;
    RETURN_IF_ERROR(
        PlanCellsPer(context, *options.cells_per_column, "CELLS PER COLUMN", &count, &offset));
    // CELLS PER COLUMN means the same as VERSIONS; its name comes from a filter of the Cloud
    // Bigtable API. If a SELECT has both, CELLS PER COLUMN takes effect.
    read->versions_per_column = static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX));
    read->versions_offset = static_cast<uint32_t>(std::min<uint64_t>(offset, UINT32_MAX));
  }
  read->strip_values = options.strip_values;
  read->reverse = options.reverse;
  return OkStatus();
}

// Plans the arguments of a table in GoogleSQL: web(as_of => …, latest_n => 2). Several
// arguments that give a time range select the intersection of the ranges.
StatusOr<TableArgs> PlanNamedArgs(const StatementContext& context,
                                  const std::vector<syntax::NamedArg>& args,
                                  engine::ReadSpec* read) {
  TableArgs said;
  uint64_t latest = 0;
  for (const syntax::NamedArg& arg : args) {
    const std::string& name = arg.name.text;
    if (SameWord(name, "with_history")) {
      ASSIGN_OR_RETURN(Value history, CompileConstant(context, arg.value));
      said.with_history = history.is_true();
      said.has_versions = true;
    } else if (SameWord(name, "latest_n")) {
      ASSIGN_OR_RETURN(latest, CompileCount(context, arg.value, "latest_n", 1));
      said.has_latest = said.has_versions = true;
    } else if (SameWord(name, "after") || SameWord(name, "after_or_equal")) {
      ASSIGN_OR_RETURN(int64_t time_us, CompileTime(context, arg.value));
      if (SameWord(name, "after")) time_us = Behind(time_us);
      read->time.start_us = std::max(read->time.start_us, time_us);
    } else if (SameWord(name, "before") || SameWord(name, "before_or_equal") ||
               SameWord(name, "as_of")) {
      ASSIGN_OR_RETURN(int64_t time_us, CompileTime(context, arg.value));
      // The range includes the time of as_of and of before_or_equal, but not that of before.
      if (!SameWord(name, "before")) time_us = Behind(time_us);
      read->time.limit_us = std::min(read->time.limit_us, time_us);
      if (SameWord(name, "as_of")) said.has_as_of = true;
    } else {
      return ErrorAt("UNKNOWN_NAME", arg.name.span, fmt::format("unknown argument {}", name),
                     "with_history, latest_n, as_of, after, after_or_equal, before, "
                     "before_or_equal");
    }
  }
  // Decided after the loop, because the arguments may come in any order: latest_n takes effect even
  // if with_history follows it.
  if (said.has_latest) {
    read->versions_per_column = static_cast<uint32_t>(std::min<uint64_t>(latest, UINT32_MAX));
  } else if (said.has_versions) {
    // FALSE asks for one version, also where the setting `versions` asks for more.
    read->versions_per_column = said.with_history ? 0 : 1;
  }
  return said;
}

std::string EncodePageToken(const PageToken& token) {
  std::string bytes;
  engine::PutFixed64(&bytes, token.fingerprint);
  engine::PutSigned(&bytes, token.now_us);
  engine::PutBytes(&bytes, token.row);
  engine::PutBytes(&bytes, token.family);
  engine::PutBytes(&bytes, token.qualifier);
  engine::PutSigned(&bytes, token.timestamp_us);
  return ToTokenText(std::move(bytes));
}

bool DecodePageToken(std::string_view text, PageToken* token) {
  std::string bytes;
  if (!FromTokenText(text, &bytes)) return false;
  engine::Reader reader(bytes);
  token->fingerprint = reader.Fixed64();
  token->now_us = reader.Signed();
  token->row = reader.Bytes();
  token->family = reader.Bytes();
  token->qualifier = reader.Bytes();
  token->timestamp_us = reader.Signed();
  return reader.AtEnd();
}

}  // namespace sippar::query
