// Compiles calls, items of collections, and lambdas.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/base/checksum.h"
#include "engine/program/calendar.h"
#include "query/analyze/callable_names.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/analyze/constant_tests.h"
#include "query/analyze/type_check.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::Function;
using syntax::BinaryOp;
using syntax::Expr;
using syntax::ExprKind;

// Hints for functions of other databases: how to write them here. "did you mean" cannot find our
// function, because its name differs too much.
struct Elsewhere {
  std::string_view name;
  std::string_view hint;
};
constexpr std::array<Elsewhere, 15> kElsewhere = {{
    {"CHARINDEX", "STRPOS(text, part)"},
    {"DATEADD", "time + INTERVAL 5 DAY"},
    {"DATEDIFF", "DATE_DIFF(later, earlier, DAY)"},
    {"GETDATE", "NOW()"},
    {"ISNULL", "x IS NULL, COALESCE(x, otherwise)"},
    {"LEN", "LENGTH(x)"},
    {"MEDIAN", "APPROX_QUANTILES(x, 2)[2]"},
    {"PERCENTILE_CONT", "APPROX_QUANTILES(x, 100)[51]"},
    {"STRFTIME", "FORMAT_TIMESTAMP('%Y-%m-%d', time)"},
    {"STRPTIME", "PARSE_TIMESTAMP('%Y-%m-%d', text)"},
    {"SYSDATE", "NOW()"},
    {"TO_CHAR", "FORMAT_TIMESTAMP('%Y-%m-%d', time), FORMAT('%8.2f', number)"},
    {"TO_DATE", "PARSE_DATE('%Y-%m-%d', text)"},
    {"TO_NUMBER", "INT64(text), FLOAT64(text)"},
    {"TO_TIMESTAMP", "PARSE_TIMESTAMP('%Y-%m-%d', text), TIMESTAMP_SECONDS(n)"},
}};

Status NoSuchCall(const Expr& call) {
  for (const Elsewhere& each : kElsewhere) {
    if (!SameWord(call.name, each.name)) continue;
    return ErrorAt("UNKNOWN_FUNCTION", call.span, fmt::format("function {} not found", call.name),
                   std::string(each.hint));
  }
  Status unknown = UnknownName("function", call.name, call.span, CallNames());
  QueryError error = QueryErrorOf(unknown);
  return ErrorAt("UNKNOWN_FUNCTION", call.span, error.message, error.hint);
}

Status CheckArity(const CallInfo& info, const Expr& call) {
  size_t count = call.children.size();
  bool fits = count >= static_cast<size_t>(info.arguments_min) &&
              count <= static_cast<size_t>(info.arguments_max);
  if (fits && !call.star && !call.distinct) return OkStatus();
  if (call.star || call.distinct) {
    return ErrorAt("ARITY", call.span,
                   fmt::format("{} is not an aggregate and takes no {}", info.name,
                               call.star ? "*" : "DISTINCT"),
                   call.star ? "name its arguments" : "remove DISTINCT");
  }
  std::string wanted = fmt::format("{}", info.arguments_min);
  if (info.arguments_max == engine::kManyArguments) {
    wanted += " or more";
  } else if (info.arguments_max != info.arguments_min) {
    wanted += fmt::format(" to {}", info.arguments_max);
  }
  return ErrorAt("ARITY", call.span,
                 fmt::format("{} takes {} {}, not {}", info.name, wanted,
                             wanted == "1" ? "argument" : "arguments", count));
}

// Returns the number of the first item if `index` is OFFSET(n), which counts items from 0, or
// ORDINAL(n), which counts them from 1, or a SAFE_ form of these. nullopt for any other index.
std::optional<int64_t> FirstPlaceOf(const Expr& index) {
  if (index.kind != ExprKind::kCall || index.children.size() != 1) return std::nullopt;
  if (SameWord(index.name, "OFFSET") || SameWord(index.name, "SAFE_OFFSET")) return 0;
  if (SameWord(index.name, "ORDINAL") || SameWord(index.name, "SAFE_ORDINAL")) return 1;
  return std::nullopt;
}

Status CheckStruct(const Expr& call, const std::vector<Expression>& args) {
  for (size_t i = 0; i < args.size(); i += 2) {
    bool name = args[i].IsLiteral() && args[i].literal.type() == ValueType::kText;
    if (name && i + 1 < args.size()) continue;
    return ErrorAt("TYPE", call.children[i].span,
                   "NAMED_STRUCT takes a literal name before each value",
                   "NAMED_STRUCT('a', 1, 'b', x), STRUCT(1 AS a, x AS b)");
  }
  return OkStatus();
}

}  // namespace

StatusOr<Expression> ExpressionCompiler::ColumnCall(const Expr& expr, SlotDef::Kind kind) {
  if (expr.children.size() != 1 || expr.children[0].kind != ExprKind::kPattern) {
    return ErrorAt("ARITY", expr.span, fmt::format("{} takes one column", expr.name),
                   "for example TIMESTAMP(contents:)");
  }
  return scope_->Pattern(expr.children[0].pattern, kind);
}

StatusOr<Expression> ExpressionCompiler::Call(const Expr& expr) {
  const CallInfo* call = FindCall(expr.name);
  if (call == nullptr) return NoSuchCall(expr);
  bool of_column = expr.children.size() == 1 && expr.children[0].kind == ExprKind::kPattern;
  if (call->column && (of_column || call->kind == CallInfo::kColumn)) {
    return ColumnCall(expr, *call->column);
  }
  // Where aggregates are allowed, the hook of PlanAggregates replaces them first. An aggregate that
  // reaches this line is therefore not allowed.
  if (call->kind == CallInfo::kAggregate) {
    return ErrorAt("AGGREGATE", expr.span,
                   fmt::format("the aggregate {} is not allowed in this clause", expr.name),
                   "aggregates go into the SELECT list, HAVING and ORDER BY");
  }
  RETURN_IF_ERROR(CheckArity(*call, expr));
  if (call->kind == CallInfo::kNow) return Expression::Literal(Value::Timestamp(context_.now_us));
  // Some rewrites repeat an argument, such as CASE WHEN a = b THEN NULL ELSE a.
  if (call->kind == CallInfo::kRewritten) return CompileCounted(call->as_ours(expr));
  if (call->kind == CallInfo::kRandom) return Random();
  if (call->kind == CallInfo::kFunction && expr.children.size() == 2) {
    ASSIGN_OR_RETURN(std::optional<Expression> with_lambda, CallWithLambda(expr, *call));
    if (with_lambda) return *std::move(with_lambda);
  }
  ASSIGN_OR_RETURN(std::vector<Expression> args, CompileAll(expr.children));
  if (call->kind == CallInfo::kCast) {
    return Fold(Expression::Cast(call->cast, std::move(args[0])), &context_.stop);
  }
  Function function = engine::FindFunction(call->name)->function;
  RETURN_IF_ERROR(CheckRegexCall(expr, function, args));
  RETURN_IF_ERROR(CheckJsonCall(expr, function, args));
  if (function == Function::kStructOf) RETURN_IF_ERROR(CheckStruct(expr, args));
  return Folded(function, std::move(args));
}

// --- Lambdas ---

std::optional<uint32_t> ExpressionCompiler::FindVariable(const std::string& name) const {
  for (size_t i = variables_.size(); i > 0; --i) {
    if (!variables_[i - 1].empty() && variables_[i - 1] == name) {
      return static_cast<uint32_t>(i - 1);
    }
  }
  return std::nullopt;
}

// Compiles the body of a lambda for the items of `array`. The engine gives each lambda two
// variables, the item and its offset, even if the lambda names only one
// (engine/program/expression.h).
StatusOr<Expression> ExpressionCompiler::LambdaBody(const Expr& lambda, const Expression& array,
                                                    bool is_test) {
  const size_t names = lambda.children.size() - 1;
  if (names > 2) {
    return ErrorAt("ARITY", lambda.span,
                   "a lambda has one or two variables, the item and its offset", "(x, i) -> …");
  }
  const DataType items = TypeIn(*scope_, array);
  variables_.push_back(lambda.children[0].name);
  variables_.push_back(names == 2 ? lambda.children[1].name : "");
  scope_->variables.push_back(items.parts.empty() ? DataType() : items.parts[0]);
  scope_->variables.push_back(ValueType::kInt64);
  const Expr& body = lambda.children.back();
  auto compiled = is_test ? CompileTest(body) : Compile(body);
  for (int i = 0; i < 2; ++i) {
    variables_.pop_back();
    scope_->variables.pop_back();
  }
  return compiled;
}

// Returns nullopt if the function takes no lambda and the call has none.
StatusOr<std::optional<Expression>> ExpressionCompiler::CallWithLambda(const Expr& call,
                                                                       const CallInfo& info) {
  Function function = engine::FindFunction(info.name)->function;
  const bool is_lambda = call.children[1].kind == ExprKind::kLambda;
  const bool needs_lambda =
      function == Function::kArrayFilter || function == Function::kArrayTransform;
  if (!needs_lambda && (!is_lambda || function != Function::kArrayIncludes)) {
    return std::optional<Expression>();
  }
  if (!is_lambda) {
    return ErrorAt("TYPE", call.children[1].span,
                   fmt::format("the second argument of {} is a lambda", info.name),
                   fmt::format("{}(list, x -> x > 1)", info.name));
  }
  ASSIGN_OR_RETURN(Expression array, Compile(call.children[0]));
  const bool is_test = function != Function::kArrayTransform;
  ASSIGN_OR_RETURN(Expression body, LambdaBody(call.children[1], array, is_test));
  if (function != Function::kArrayIncludes) {
    return std::optional(Folded(function, std::move(array), std::move(body)));
  }
  // Some item passes if the list of passing items is not empty.
  Expression passed = Folded(Function::kArrayFilter, std::move(array), std::move(body));
  return std::optional(Folded(Function::kGreater, Folded(Function::kCardinality, std::move(passed)),
                              Expression::Literal(Value::Int64(0))));
}

// --- Times ---

bool ExpressionCompiler::IsMonths(const Expr& sum) {
  if (sum.op != BinaryOp::kAdd && sum.op != BinaryOp::kSubtract) return false;
  const Expr& span = sum.children[1];
  if (span.kind != ExprKind::kCall || !SameWord(span.name, "TIME_SPAN") ||
      span.children.size() != 2 || span.children[1].kind != ExprKind::kLiteral) {
    return false;
  }
  auto unit = engine::FindUnit(span.children[1].literal.text);
  return unit.ok() && unit->months > 0;
}

// A time plus or minus INTERVAL n MONTH, QUARTER or YEAR: such an interval has no fixed length.
StatusOr<Expression> ExpressionCompiler::AddMonths(const Expr& sum) {
  const Expr& span = sum.children[1];
  ASSIGN_OR_RETURN(Expression time, Compile(sum.children[0]));
  ASSIGN_OR_RETURN(Expression count, Compile(span.children[0]));
  ASSIGN_OR_RETURN(engine::CalendarUnit unit, engine::FindUnit(span.children[1].literal.text));
  const int64_t months = sum.op == BinaryOp::kAdd ? unit.months : -unit.months;
  count = Folded(Function::kMultiply, std::move(count), Expression::Literal(Value::Int64(months)));
  return Folded(Function::kAddMonths, std::move(time), std::move(count));
}

// Each call of a statement has its own seed, which the engine mixes with the row's key (if the
// scope has `row`) and a count of evaluations. So two calls, and two rows, get different numbers.
StatusOr<Expression> ExpressionCompiler::Random() {
  std::string bytes;
  engine::PutFixed64(&bytes, static_cast<uint64_t>(context_.now_us));
  engine::PutVarint(&bytes, ++randoms_);
  std::vector<Expression> args;
  args.push_back(Expression::Literal(Value::Int64(static_cast<int64_t>(engine::Hash(bytes)))));
  ASSIGN_OR_RETURN(std::optional<Expression> row, scope_->Name("row"));
  if (row) args.push_back(*std::move(row));
  return Expression::Call(Function::kRandom, std::move(args));
}

// --- Items ---

StatusOr<Expression> ExpressionCompiler::Index(const Expr& expr) {
  const Expr& base = expr.children[0];
  if (auto first = FirstPlaceOf(expr.children[1])) {
    ASSIGN_OR_RETURN(Expression items, Compile(base));
    ASSIGN_OR_RETURN(Expression place, Compile(expr.children[1].children[0]));
    std::vector<Expression> args;
    args.push_back(std::move(items));
    args.push_back(std::move(place));
    args.push_back(Expression::Literal(Value::Int64(*first)));
    Expression item = Folded(Function::kItemAt, std::move(args));
    bool safe = SameWord(expr.children[1].name.substr(0, 5), "SAFE_");
    return safe ? Folded(Function::kSafe, std::move(item)) : std::move(item);
  }
  ASSIGN_OR_RETURN(Expression key, Compile(expr.children[1]));
  const bool is_name = base.kind == ExprKind::kName && !FindVariable(base.name);
  if (is_name && key.IsLiteral() && key.literal.is_string()) {
    ASSIGN_OR_RETURN(std::optional<Expression> item,
                     scope_->FamilyItem(base.name, key.literal.bytes()));
    if (item) return *std::move(item);
  }
  ASSIGN_OR_RETURN(Expression items, Compile(base));
  // A MAP that spans families of different types has entries of these types. The entry is cast to
  // BYTES, so that the type of the expression is known before the query runs.
  bool mixed = items.kind == Expression::kSlot &&
               scope_->SlotType(items.slot).kind == ValueType::kMap &&
               !scope_->SlotType(items.slot).IsKnown();
  Expression item = Folded(Function::kIndex, std::move(items), std::move(key));
  return mixed ? Expression::Cast(ValueType::kBytes, std::move(item)) : std::move(item);
}

}  // namespace sippar::query
