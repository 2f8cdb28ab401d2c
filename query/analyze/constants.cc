// Holds the functions of compile.h that need no scope: constants (literals and parameters),
// folding, type and aggregate names.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/model/schema.h"
#include "engine/program/calendar.h"
#include "engine/program/evaluate.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"
#include "query/analyze/callable_names.h"
#include "query/analyze/compile.h"
#include "query/session/query_error.h"

namespace sippar::query {

using engine::AggregateDef;
using syntax::Expr;
using syntax::ExprKind;

bool SameWord(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// Errors of other kinds pass unchanged: an error such as "the server is down" has no place in the
// statement, and the caller acts on its status code.
Status WithQueryCode(const Status& status, const Span& span) {
  if (status.ok()) return status;
  std::string code = engine::ProgramErrorCode(status);
  if (code.empty()) return status;
  engine::TextPlace place = engine::ProgramErrorPlace(status);
  Span where = place.IsNone() ? span : Span{0, 0, place.begin, place.end};
  return ErrorAt(code, where, MessageOf(status), engine::ProgramErrorHint(status), status.code());
}

// Some code looks only at literals: row ranges, IN UNNEST, warnings, regex checks. Folding lets it
// see a computed constant such as 'a' || 'b', too.
Expression Fold(Expression expression, const engine::StopSignal* stop) {
  // RAND is not folded, because each row needs another number, and STRUCT is not folded, because
  // its value does not contain its type.
  if (expression.kind != Expression::kCall || expression.function == engine::Function::kRandom ||
      expression.function == engine::Function::kStructOf) {
    return expression;
  }
  // The argument of SAFE is still a call if Fold could not evaluate it. The arguments of that inner
  // call must then be literals.
  const bool safe = expression.function == engine::Function::kSafe &&
                    expression.args[0].kind == Expression::kCall &&
                    expression.args[0].function != engine::Function::kRandom;
  for (const Expression& arg : safe ? expression.args[0].args : expression.args) {
    if (!arg.IsLiteral()) return expression;
  }
  auto value = engine::EvaluateConstant(expression, stop);
  // A call that fails is not an error yet: a CASE around it may never evaluate it.
  if (!value.ok()) return expression;
  // A SAFE that yields NULL is not folded: it has the type of the call inside it, which a literal
  // NULL would not have.
  if (expression.function == engine::Function::kSafe && value->is_null()) return expression;
  return Expression::Literal(*std::move(value));
}

// Evaluates the expression even if folding left a call in it: Fold does not replace a call that
// fails, and here the error of the call is the error of the statement.
StatusOr<Value> CompileConstant(const StatementContext& context, const Expr& expr) {
  ConstantScope scope;
  ExpressionCompiler compiler(context, &scope);
  ASSIGN_OR_RETURN(Expression expression, compiler.Compile(expr));
  auto value = engine::EvaluateConstant(expression, &context.stop);
  if (!value.ok()) return WithQueryCode(value.status(), expr.span);
  return value;
}

namespace {

// The value of a constant at a place that takes only a number. A parameter given on the command
// line is TEXT; its digits are converted to a number here.
StatusOr<Value> CompileNumber(const StatementContext& context, const Expr& expr) {
  ASSIGN_OR_RETURN(Value value, CompileConstant(context, expr));
  if (expr.kind != ExprKind::kParam || value.type() != ValueType::kText) return value;
  Value number;
  Status status = engine::ConvertValue(value, ValueType::kInt64, &number);
  return status.ok() ? number : value;
}

}  // namespace

// FLOAT64 is refused although 3.0 is whole: LIMIT 2.5 has no meaning, and the type of a parameter
// should not depend on its value.
StatusOr<uint64_t> CompileCount(const StatementContext& context, const Expr& expr,
                                std::string_view what, int64_t min) {
  ASSIGN_OR_RETURN(Value value, CompileNumber(context, expr));
  if (value.type() == ValueType::kInt64 && value.integer() >= min) {
    return static_cast<uint64_t>(value.integer());
  }
  return ErrorAt("RANGE", expr.span,
                 fmt::format("{} takes a whole number from {}, not {} {}", what, min,
                             engine::TypeName(value.type()), value.Print()));
}

StatusOr<int64_t> CompileTime(const StatementContext& context, const Expr& expr) {
  ASSIGN_OR_RETURN(Value value, CompileNumber(context, expr));
  // TEXT is taken as a time only if it came as a parameter. In AS OF '2026-11-20T12:00:00Z' the
  // word TIMESTAMP was more likely forgotten, and the hint says so.
  bool text_time = expr.kind == ExprKind::kParam && value.type() == ValueType::kText;
  Value time;
  if (text_time && engine::ConvertValue(value, ValueType::kTimestamp, &time).ok()) value = time;
  if (engine::IsTime(value)) return engine::MicrosOf(value);
  return ErrorAt(
      "TYPE", expr.span,
      fmt::format("a time is microseconds or a TIMESTAMP, not {}", engine::TypeName(value.type())),
      "TIMESTAMP '2026-11-20T12:00:00Z', NOW() - 5m");
}

Status CheckCellTime(int64_t time_us, const Span& span) {
  if (time_us >= 0) return OkStatus();
  return ErrorAt("RANGE", span,
                 fmt::format("{} is not a valid cell time: it is before 1970", time_us),
                 "microseconds since 1970; without AT it is the server's clock");
}

StatusOr<std::string> CompileRowKey(const StatementContext& context, const Expr& expr) {
  ASSIGN_OR_RETURN(Value value, CompileConstant(context, expr));
  if (!value.is_string()) {
    return ErrorAt(
        "TYPE", expr.span,
        fmt::format("a row key is TEXT or BYTES, not {}", engine::TypeName(value.type())));
  }
  // Checked here although the tablet checks it, too, since only here the error has a place in the
  // text.
  Status valid = engine::ValidateRowKey(value.bytes());
  if (!valid.ok()) return ErrorAt("BAD_ROW_KEY", expr.span, MessageOf(valid));
  return value.TakeBytes();
}

std::optional<ValueType> FindType(std::string_view name) {
  const CallInfo* call = FindCall(name);
  bool is_type = call != nullptr && call->kind == CallInfo::kCast;
  if (SameWord(name, "FLOAT32")) return ValueType::kFloat64;  // the language has one type for both
  if (SameWord(name, "DATE")) return ValueType::kDate;        // DATE(x) is a function, not a cast
  return is_type ? std::optional(call->cast) : std::nullopt;
}

std::optional<AggregateDef::Kind> FindAggregate(const Expr& call) {
  if (call.kind != ExprKind::kCall) return std::nullopt;
  const CallInfo* info = FindCall(call.name);
  if (info == nullptr || info->kind != CallInfo::kAggregate) return std::nullopt;
  if (info->aggregate != AggregateDef::kCount) return info->aggregate;
  // COUNT is three aggregates: of rows, of distinct values, of values that are not NULL.
  if (call.star) return AggregateDef::kCountRows;
  return call.distinct ? AggregateDef::kCountDistinct : AggregateDef::kCount;
}

bool ContainsAggregate(const Expr& expr) {
  if (FindAggregate(expr)) return true;
  return std::any_of(expr.children.begin(), expr.children.end(), ContainsAggregate);
}

StatusOr<Expression> ExpressionCompiler::Literal(const Expr& expr) const {
  const syntax::Literal& literal = expr.literal;
  switch (literal.type) {
    case syntax::Literal::kNull:
      return Expression::Literal(Value::Null());
    case syntax::Literal::kBool:
      return Expression::Literal(Value::Bool(literal.integer != 0));
    case syntax::Literal::kInt64:
    // A size such as 64KiB is an INT64, its number of bytes.
    case syntax::Literal::kSize:
      return Expression::Literal(Value::Int64(literal.integer));
    case syntax::Literal::kFloat64:
      return Expression::Literal(Value::Float64(literal.real));
    case syntax::Literal::kText:
      return Expression::Literal(Value::Text(literal.text));
    case syntax::Literal::kBytes:
      return Expression::Literal(Value::Bytes(literal.text));
    case syntax::Literal::kDuration:
      return Expression::Literal(Value::Duration(literal.integer));
    case syntax::Literal::kDate:
      return Expression::Literal(Value::Date(literal.integer));
    case syntax::Literal::kTimestamp:
      break;
  }
  // East of UTC a clock shows a later time for the same moment, so the offset is subtracted.
  int64_t shift = literal.zone_missing ? context_.session->settings.timezone_us : 0;
  return Expression::Literal(Value::Timestamp(literal.integer - shift));
}

StatusOr<Expression> ExpressionCompiler::Param(const Expr& expr) const {
  auto found = context_.session->parameters.find(expr.name);
  if (found != context_.session->parameters.end()) return Expression::Literal(found->second);
  return ErrorAt("UNKNOWN_PARAM", expr.span, fmt::format("no value for @{}", expr.name),
                 fmt::format("--param {}=…, or \\set {} … in the shell", expr.name, expr.name));
}

}  // namespace sippar::query
