// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/type_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/program/evaluate.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"
#include "query/analyze/compile.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::AggregateDef;
using engine::Expression;
using engine::Function;
using engine::Value;
using engine::ValueType;

// A sample value of the type. If a call accepts the type, it also accepts the sample: 1 is neither
// a zero divisor nor a bad index, and "1" can be cast to a number.
Value Sample(ValueType type) {
  switch (type) {
    case ValueType::kNull:
      break;
    case ValueType::kBool:
      return Value::Bool(true);
    case ValueType::kInt64:
      return Value::Int64(1);
    case ValueType::kFloat64:
      return Value::Float64(1);
    case ValueType::kBytes:
      return Value::Bytes("1");
    case ValueType::kText:
      return Value::Text("1");
    case ValueType::kTimestamp:
      return Value::Timestamp(1);
    case ValueType::kDuration:
      return Value::Duration(1);
    case ValueType::kDate:
      return Value::Date(1);
    case ValueType::kArray:
      return Value::Array({});
    case ValueType::kMap:
      return Value::Map({});
    case ValueType::kStruct:
      return Value::Struct({Value::Null(), Value::Null()});
  }
  return Value::Null();
}

// A literal is checked as it is, since a call may accept only some values of its type.
Expression SampleOf(const Expression& argument, const DataType& type) {
  return argument.IsLiteral() ? argument : Expression::Literal(Sample(type.kind));
}

bool IsTypeError(const Status& status) { return engine::ProgramErrorCode(status) == "TYPE"; }

Status At(const Span& span, const Status& status, std::string hint = {}) {
  if (hint.empty()) hint = engine::ProgramErrorHint(status);
  return ErrorAt("TYPE", span, MessageOf(status), hint);
}

Span SpanOf(const Expression& expression, const Span& otherwise) {
  const engine::TextPlace& place = expression.place;
  return place.IsNone() ? otherwise : Span{0, 0, place.begin, place.end};
}

// Checks one call against the types of its arguments. Unknown types pass: the engine checks them
// when the expression runs.
class CallCheck {
 public:
  CallCheck(const Scope& scope, const Expression& call, const Span& span)
      : scope_(scope), call_(call), span_(span) {
    for (const Expression& arg : call.args) types_.push_back(TypeIn(scope, arg));
  }

  Status Check() const {
    switch (call_.function) {
      case Function::kAnd:
      case Function::kOr:
        return Tests(0, 1, call_.args.size());
      // The arguments of CASE at even places are tests. If their number is odd, the last is ELSE
      // and not a test.
      case Function::kCase:
        return Tests(0, 2, call_.args.size() - call_.args.size() % 2);
      case Function::kIf:
        return Tests(0, 1, 1);
      case Function::kIn:
      case Function::kLeast:
      case Function::kGreatest:
        for (size_t i = 1; i < call_.args.size(); ++i) RETURN_IF_ERROR(Pair(0, i));
        return OkStatus();
      case Function::kEqual:
      case Function::kNotEqual:
      case Function::kLess:
      case Function::kLessEqual:
      case Function::kGreater:
      case Function::kGreaterEqual:
      case Function::kNullIf:
      case Function::kIsDistinct:
        return Pair(0, 1);
      case Function::kArrayFilter:
      case Function::kArrayTransform:
        return ListFirst();
      case Function::kCoalesce:
      case Function::kSafe:
      case Function::kStructOf:
      case Function::kHllExtract:  // accepts only some BYTES, so a sample proves nothing
        return OkStatus();
      default:
        return Scalar();
    }
  }

 private:
  Status Tests(size_t first, size_t step, size_t end) const {
    for (size_t i = first; i < end; i += step) {
      RETURN_IF_ERROR(CheckTest(scope_, call_.args[i], SpanOf(call_.args[i], span_)));
    }
    return OkStatus();
  }

  Status ListFirst() const {
    if (types_[0].kind == ValueType::kArray || types_[0].kind == ValueType::kNull) {
      return OkStatus();
    }
    return ErrorAt(
        "TYPE", span_,
        fmt::format("{} takes an ARRAY, not {}", engine::FindFunction(call_.function)->name,
                    engine::TypeName(types_[0].kind)));
  }

  // Equality stands for all comparisons: the engine accepts the same pairs of types for each of
  // them.
  Status Pair(size_t a, size_t b) const {
    bool known = types_[a].kind != ValueType::kNull && types_[b].kind != ValueType::kNull;
    // Equal types need no sample: an IN list may have thousands of items.
    if (!known || types_[a].kind == types_[b].kind) return OkStatus();
    std::vector<Expression> samples = {Expression::Literal(Sample(types_[a].kind)),
                                       Expression::Literal(Sample(types_[b].kind))};
    Status status =
        engine::EvaluateConstant(Expression::Call(Function::kEqual, std::move(samples))).status();
    // Any other error belongs to the sample (a division by zero, a decoding), not to the types.
    if (!IsTypeError(status)) return OkStatus();
    std::string hint = TimeHint(call_.args[a], call_.args[b]);
    if (hint.empty()) hint = TimeHint(call_.args[b], call_.args[a]);
    return At(span_, status, hint);
  }

  // The hint for a time compared with text: that text as a TIMESTAMP literal if it is a time, else
  // an example.
  std::string TimeHint(const Expression& time, const Expression& text) const {
    bool is_time = TypeIn(scope_, time).kind == ValueType::kTimestamp ||
                   (time.kind == Expression::kSlot && scope_.IsTime(time.slot));
    if (!is_time || !TypeIn(scope_, text).is_string()) return "";
    int64_t micros = 0;
    bool known = text.IsLiteral() && engine::ParseTimestamp(text.literal.bytes(), &micros);
    return fmt::format("write a time as TIMESTAMP '{}'",
                       known ? engine::PrintTimestamp(micros) : "2026-11-20T12:00:00Z");
  }

  Status Scalar() const {
    std::vector<Expression> samples;
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_[i].kind == ValueType::kNull) return OkStatus();
      samples.push_back(SampleOf(call_.args[i], types_[i]));
    }
    Expression sample = Expression::Call(call_.function, std::move(samples));
    sample.cast_type = call_.cast_type;
    Status status = engine::EvaluateConstant(sample).status();
    return IsTypeError(status) ? At(span_, status) : OkStatus();
  }

  const Scope& scope_;
  const Expression& call_;
  const Span& span_;
  std::vector<DataType> types_;
};

// True if the value is a cell that may belong to a counter or to another family.
bool IsMixedCell(const Scope& scope, const Expression& value) {
  const bool is_cast = value.kind == Expression::kCall && value.function == Function::kCast;
  return is_cast && value.args[0].kind == Expression::kSlot && scope.IsMixed(value.args[0].slot);
}

}  // namespace

DataType TypeIn(const Scope& scope, const Expression& expression) {
  return TypeOf(
      expression, [&scope](uint32_t slot) { return scope.SlotType(slot); }, scope.variables);
}

bool MayReadLike(const Scope& scope, const Expression& value) {
  return IsMixedCell(scope, value) || TypeIn(scope, value).kind == ValueType::kDate;
}

void ReadLike(const Scope& scope, const Expression& other, Expression* value) {
  if (!MayReadLike(scope, *value)) return;
  const DataType type = TypeIn(scope, other);
  if (IsMixedCell(scope, *value) && type.is_number()) {
    *value = Expression::Cast(ValueType::kInt64, std::move(*value), /*try_cast=*/true);
  } else if (type.kind == ValueType::kTimestamp || type.kind == ValueType::kInt64) {
    ReadDateAsTime(scope, value);
  }
}

// A literal is cast here and not when the program runs: row ranges and ranges of times look at
// literals, and servers from before the type DATE understand the program.
void ReadDateAsTime(const Scope& scope, Expression* value) {
  if (TypeIn(scope, *value).kind != ValueType::kDate) return;
  const engine::TextPlace place = value->place;
  *value = Fold(Expression::Cast(ValueType::kTimestamp, std::move(*value)), nullptr);
  value->place = place;
}

Status CheckTypes(const Scope& scope, const Expression& expression, const Span& span) {
  if (expression.kind != Expression::kCall) return OkStatus();
  for (const Expression& arg : expression.args) {
    // If an argument has no place in the text, the compiler itself has made it and has not checked
    // it yet.
    if (arg.place.IsNone()) RETURN_IF_ERROR(CheckTypes(scope, arg, span));
  }
  return CallCheck(scope, expression, span).Check();
}

// kNull passes: it is the type of an expression whose type is known only at run time, and of the
// literal NULL, which WHERE treats as FALSE.
Status CheckTest(const Scope& scope, const Expression& test, const Span& span) {
  DataType type = TypeIn(scope, test);
  if (type.kind == ValueType::kBool || type.kind == ValueType::kNull) return OkStatus();
  return ErrorAt("TYPE", span,
                 fmt::format("a test must be TRUE or FALSE, not {}", engine::TypeName(type.kind)),
                 "compare it: =, <, IS NOT NULL …");
}

Status CheckAggregate(const Scope& scope, const AggregateDef& aggregate, const Span& span) {
  DataType type = TypeIn(scope, aggregate.argument);
  if (type.kind == ValueType::kNull || aggregate.kind == AggregateDef::kCountRows) {
    return OkStatus();
  }
  engine::GroupMemory memory;
  Status status = engine::Aggregate::New(aggregate, &memory)->Add(Sample(type.kind));
  return IsTypeError(status) ? At(span, status) : OkStatus();
}

}  // namespace sippar::query
