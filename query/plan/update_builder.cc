// SPDX-License-Identifier: Apache-2.0
#include "query/plan/update_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/analyze/type_check.h"
#include "query/plan/row_ranges.h"
#include "query/plan/select_plan.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {

using engine::ColumnPattern;
using engine::Expression;
using engine::NamePattern;
using engine::RowWrite;
using engine::SlotDef;

StatusOr<std::vector<engine::TimeRange>> PlanTimes(const StatementContext& context,
                                                   const syntax::TimeSpan& times) {
  std::vector<engine::TimeRange> ranges;
  if (times.time) {
    engine::TimeRange& range = ranges.emplace_back();
    if (times.from) {
      ASSIGN_OR_RETURN(range.start_us, CompileTime(context, *times.from));
    }
    if (times.to) {
      ASSIGN_OR_RETURN(range.limit_us, CompileTime(context, *times.to));
    }
    // A read with an empty span returns nothing, which the user sees. A deletion that silently
    // deletes nothing would look as if it had worked.
    if (range.start_us >= range.limit_us) {
      return ErrorAt("RANGE", times.span, "this TIME span is empty: FROM is not before TO");
    }
  }
  for (const syntax::Expr& at : times.at) {
    ASSIGN_OR_RETURN(int64_t time_us, CompileTime(context, at));
    bool last = time_us == engine::kTimeMax;  // as a limit, kTimeMax means no end
    ranges.push_back({time_us, last ? time_us : time_us + 1});
  }
  return ranges;
}

UpdateBuilder::UpdateBuilder(const StatementContext& context, const engine::TableSchema& schema)
    : context_(context), schema_(schema), scope_(&context, &schema) {
  update_.now_us = context.now_us;
  // The tablet uses these lists and not its own schema, so that each expression has the type that
  // was checked here.
  update_.families = TypedFamiliesOf(schema);
}

StatusOr<ColumnPattern> UpdateBuilder::ExactColumn(const syntax::PatternNode& column) {
  ASSIGN_OR_RETURN(ColumnPattern pattern, BindPattern(context_, schema_, column));
  if (pattern.IsExact()) return pattern;
  // Writing to every column that a pattern finds would need a read first, and would write nothing
  // where no column exists yet.
  return ErrorAt("NOT_EXACT", column.span,
                 fmt::format("{} names many columns; only one can be written", Print(column)));
}

namespace {

// What a column of the family takes, if a write of this kind cannot take a value of `type`; "" if
// it can.
std::string WantedInstead(RowWrite::Kind kind, engine::FamilyType family, const DataType& type) {
  if (kind == RowWrite::kIncrement) return type.kind == ValueType::kInt64 ? "" : "an INT64 to add";
  if (engine::IsInt64(family) && kind == RowWrite::kSet) {
    // BYTES are accepted, too: 8 bytes are the stored form of a counter.
    const bool fits = type.kind == ValueType::kInt64 || type.kind == ValueType::kBytes;
    if (fits) return "";
    return fmt::format("an INT64 (its family is of type {})", engine::FamilyTypeName(family));
  }
  if (type.is_string()) return "";
  if (family == engine::FamilyType::kText) return "TEXT; TEXT(x) writes it as text";
  const bool is_number = type.kind == ValueType::kInt64 || type.kind == ValueType::kFloat64;
  return is_number ? "TEXT or BYTES; TEXT(x) writes digits, BYTES(x) 8 bytes"
                   : "TEXT or BYTES; TEXT(x) writes it as text";
}

}  // namespace

// Fails with TYPE if the column cannot hold the value. The check runs before any row is found, so
// the statement also fails if it has no row to update.
Status UpdateBuilder::CheckValue(RowWrite::Kind kind, const syntax::PatternNode& column,
                                 const ColumnPattern& pattern, const Expression& value) const {
  const DataType type = TypeIn(scope_, value);
  const engine::FamilyType family = schema_.FindFamily(pattern.family.text)->type;
  const std::string name = Print(column);
  if (kind == RowWrite::kIncrement && family == engine::FamilyType::kText) {
    return ErrorAt("TYPE", column.span,
                   fmt::format("{} cannot be incremented: its family is of type TEXT", name),
                   "a family of type COUNTER holds numbers");
  }
  const Span place{0, 0, value.place.begin, value.place.end};
  const Span& span = value.place.IsNone() ? column.span : place;
  // The tablet checks the text of every other value.
  if (family == engine::FamilyType::kText && value.IsLiteral() && value.literal.is_string()) {
    Status valid =
        engine::CheckText(pattern.family.text, pattern.qualifier.text, value.literal.bytes());
    return valid.ok() ? valid : WithQueryCode(valid, span);
  }
  const std::string wanted = WantedInstead(kind, family, type);
  // A type that is known only at run time is checked by the tablet, which fails the update.
  if (type.kind == ValueType::kNull || wanted.empty()) return OkStatus();
  return ErrorAt("TYPE", span,
                 fmt::format("{} cannot be set to {}", name, engine::TypeName(type.kind)),
                 fmt::format("{} takes {}", name, wanted));
}

Status UpdateBuilder::AddWrite(RowWrite::Kind kind, const syntax::PatternNode& column,
                               Expression value) {
  ASSIGN_OR_RETURN(ColumnPattern pattern, ExactColumn(column));
  RETURN_IF_ERROR(CheckValue(kind, column, pattern, value));
  RowWrite& write = NewWrite(kind);
  write.family = pattern.family.text;
  write.qualifier = pattern.qualifier.text;
  write.value = std::move(value);
  return OkStatus();
}

Status UpdateBuilder::AddAssign(const syntax::Assign& assign,
                                const std::optional<Expression>& guard) {
  ExpressionCompiler compiler(context_, &scope_);
  ASSIGN_OR_RETURN(Expression value, compiler.Compile(assign.value));
  RowWrite::Kind kind = assign.op == syntax::Assign::kSet   ? RowWrite::kSet
                        : assign.op == syntax::Assign::kAdd ? RowWrite::kIncrement
                                                            : RowWrite::kAppend;
  RETURN_IF_ERROR(AddWrite(kind, assign.column, std::move(value)));
  // AddWrite has just added the last element of update_.writes. The guard and the time are set here
  // and not by AddWrite, because INCREMENT and APPEND have neither.
  RowWrite& write = update_.writes.back();
  write.guard = guard;
  if (assign.at) {
    ASSIGN_OR_RETURN(write.timestamp, compiler.Compile(*assign.at));
    ReadDateAsTime(scope_, &*write.timestamp);
    // The value of a literal is known now. A time that is computed from the row is checked when the
    // update runs.
    bool constant = write.timestamp->IsLiteral() && !write.timestamp->literal.is_null();
    if (constant)
      RETURN_IF_ERROR(CheckCellTime(write.timestamp->literal.integer(), assign.at->span));
  }
  return OkStatus();
}

Status UpdateBuilder::AddDeletes(const std::vector<syntax::PatternNode>& patterns,
                                 const syntax::TimeSpan& times,
                                 const std::optional<Expression>& guard) {
  ASSIGN_OR_RETURN(std::vector<engine::TimeRange> ranges, PlanTimes(context_, times));
  if (patterns.empty() && ranges.empty()) {
    NewWrite(RowWrite::kDeleteRow).guard = guard;
    deletes_rows_ = true;
    return OkStatus();
  }
  std::vector<ColumnPattern> columns;
  for (const syntax::PatternNode& node : patterns) {
    ASSIGN_OR_RETURN(ColumnPattern pattern, BindPattern(context_, schema_, node));
    columns.push_back(std::move(pattern));
  }
  if (columns.empty()) columns.push_back({NamePattern::Any(), NamePattern::Any()});
  for (const ColumnPattern& column : columns) {
    // The columns to delete are read as well: the result counts what was deleted, and a deletion of
    // cells that do not exist would write useless entries.
    deleted_.push_back(column);
    // A whole family is deleted by one entry instead of one for each of its columns.
    bool family = column.family.kind == NamePattern::kExact &&
                  column.qualifier.kind == NamePattern::kAny && ranges.empty();
    RowWrite& write = NewWrite(family ? RowWrite::kDeleteFamily : RowWrite::kDeleteColumns);
    write.guard = guard;
    if (family) {
      write.family = column.family.text;
      continue;
    }
    write.pattern = column;
    write.times = ranges;
  }
  return OkStatus();
}

void UpdateBuilder::AddCondition(std::optional<Expression> condition) {
  std::vector<Expression> tests = SplitAnd(std::move(update_.condition));
  for (Expression& test : SplitAnd(std::move(condition))) tests.push_back(std::move(test));
  update_.condition = JoinAnd(std::move(tests));
}

Status UpdateBuilder::AddCondition(const syntax::OptionalExpr& condition) {
  if (!condition) return OkStatus();
  ExpressionCompiler compiler(context_, &scope_);
  ASSIGN_OR_RETURN(Expression test, compiler.CompileTest(*condition));
  AddCondition(std::optional(std::move(test)));
  return OkStatus();
}

// Compiles the items of RETURNING, or of a RETURN in ATOMIC. The tablet evaluates them on the row
// after the update, under the row's lock, so no other write can come in between. Inside BEGIN ROW,
// the session evaluates them, and COMMIT fails if another client's change made the values wrong
// (execute/transaction.cc).
StatusOr<std::vector<Expression>> UpdateBuilder::CompileItems(
    const std::vector<syntax::SelectItem>& items, std::vector<ResultColumn>* columns) {
  std::vector<Expression> values;
  for (const syntax::SelectItem& item : items) {
    if (!item.star) {
      ExpressionCompiler compiler(context_, &scope_);
      ASSIGN_OR_RETURN(Expression value, compiler.Compile(item.expr));
      columns->push_back({ItemName(context_, item), {}});
      values.push_back(std::move(value));
      continue;
    }
    // `*` stands for the same columns as in SELECT *: the key and one map for each family.
    columns->push_back({"row", ValueType::kText});
    values.push_back(scope_.Slot(SlotDef::kRow));
    for (const engine::FamilySchema& family : schema_.families) {
      columns->push_back({family.name, ValueType::kMap});
      values.push_back(
          scope_.PatternSlot({NamePattern::Exact(family.name), NamePattern::Any()}, SlotDef::kMap));
    }
  }
  return values;
}

Status UpdateBuilder::AddReturning(const std::vector<syntax::SelectItem>& items) {
  std::vector<ResultColumn> columns;
  ASSIGN_OR_RETURN(std::vector<Expression> values, CompileItems(items, &columns));
  SetReturning(std::move(columns), std::move(values));
  return OkStatus();
}

void UpdateBuilder::SetReturning(std::vector<ResultColumn> columns,
                                 std::vector<Expression> values) {
  returning_columns_ = std::move(columns);
  update_.returning = std::move(values);
}

RowWrite& UpdateBuilder::NewWrite(RowWrite::Kind kind) {
  RowWrite& write = update_.writes.emplace_back();
  write.kind = kind;
  write.statement = statement_;
  return write;
}

Expression UpdateBuilder::AddLet(const std::string& name, Expression value,
                                 const std::optional<Expression>& guard) {
  // The name is added only after `value` was compiled, so that LET x = x + 1 reads the earlier x.
  scope_.AddLet(name, lets_, TypeIn(scope_, value));
  RowWrite& write = NewWrite(RowWrite::kLet);
  write.value = std::move(value);
  write.guard = guard;
  return scope_.Slot(SlotDef::kLet, lets_++);
}

void UpdateBuilder::AddFailure(const std::optional<Expression>& guard, Expression message) {
  RowWrite& write = NewWrite(RowWrite::kFail);
  write.value = std::move(message);
  write.guard = guard;
}

bool NeedsAllVersions(const std::vector<SlotDef>& slots) {
  return std::any_of(slots.begin(), slots.end(), [](const SlotDef& slot) {
    return slot.kind == SlotDef::kVersionCount || slot.kind == SlotDef::kHistory ||
           slot.kind == SlotDef::kMapHistory;
  });
}

// True if the update needs to read the row. A column that the update only sets needs no read: the
// scope has a pattern only for a column that an expression reads.
bool UpdateBuilder::ReadsRow() const {
  return !scope_.patterns().empty() || !deleted_.empty() || deletes_rows_ ||
         update_.only_if_exists || update_.condition || !update_.returning.empty();
}

engine::RowUpdate UpdateBuilder::Finish() {
  update_.slots = scope_.slots();
  engine::ReadSpec& read = update_.read;
  // A slot names its pattern by index in read.columns, so the scope's patterns come first there.
  read.columns = scope_.patterns();
  read.columns.insert(read.columns.end(), deleted_.begin(), deleted_.end());
  // A deletion counts the versions that it removes, so it reads them all.
  bool all_versions = !deleted_.empty() || deletes_rows_ || NeedsAllVersions(update_.slots);
  read.versions_per_column = all_versions ? 0 : 1;
  if (read.columns.empty()) {
    // Only the existence of the row matters, unless a deletion must count the row's cells.
    read.keys_only = !deletes_rows_;
  } else if (update_.only_if_exists || deletes_rows_) {
    // A row exists if it has a cell in any column, so every column must be read.
    read.columns.push_back({NamePattern::Any(), NamePattern::Any()});
  }
  return update_;
}

}  // namespace sippar::query
