// SPDX-License-Identifier: Apache-2.0
#include "engine/program/expression.h"

#include <fmt/format.h>

#include "engine/base/limits.h"

namespace sippar::engine {
namespace {

// Prints a literal for EXPLAIN in a form that shows its type; Value::Print would print TEXT and
// BYTES alike.
std::string PrintLiteral(const Value& value) {
  switch (value.type()) {
    case ValueType::kText:
      return "'" + PrintEscaped(value.bytes()) + "'";
    case ValueType::kBytes:
      return "b'" + PrintEscaped(value.bytes()) + "'";
    default:
      return value.Print();
  }
}

}  // namespace

Expression Expression::Literal(Value value) {
  Expression expression;
  expression.literal = std::move(value);
  return expression;
}

Expression Expression::Slot(uint32_t index) {
  Expression expression;
  expression.kind = kSlot;
  expression.slot = index;
  return expression;
}

Expression Expression::Variable(uint32_t number) {
  Expression expression;
  expression.kind = kVariable;
  expression.slot = number;
  return expression;
}

Expression Expression::Call(Function function, std::vector<Expression> args) {
  Expression expression;
  expression.kind = kCall;
  expression.function = function;
  expression.args = std::move(args);
  return expression;
}

Expression Expression::Cast(ValueType type, Expression arg, bool try_cast) {
  std::vector<Expression> args;
  args.push_back(std::move(arg));
  Expression expression = Call(try_cast ? Function::kTryCast : Function::kCast, std::move(args));
  expression.cast_type = type;
  return expression;
}

size_t Expression::CountNodes() const {
  size_t count = 1;
  for (const Expression& arg : args) count += arg.CountNodes();
  return count;
}

void Expression::Encode(std::string* out) const {
  out->push_back(static_cast<char>(kind));
  // The place is encoded too, because errors arise on the tablet and are shown to the user at that
  // place of the statement. The length is written instead of the end, since a small number takes
  // fewer bytes.
  PutVarint(out, place.begin);
  PutVarint(out, place.end - place.begin);
  switch (kind) {
    case kLiteral:
      literal.Encode(out);
      return;
    case kSlot:
    case kVariable:
      PutVarint(out, slot);
      return;
    case kCall:
      out->push_back(static_cast<char>(function));
      out->push_back(static_cast<char>(cast_type));
      PutVarint(out, args.size());
      for (const Expression& arg : args) arg.Encode(out);
  }
}

Expression Expression::Decode(Reader* reader, size_t depth) {
  Expression expression;
  uint8_t kind = reader->Byte();
  if (kind > kVariable || depth > limits::kExpressionDepthMax) {
    reader->Fail();
    return expression;
  }
  uint64_t begin = reader->Varint();
  uint64_t size = reader->Varint();
  // Both are within a statement, so their sum fits into 32 bits.
  if (begin > limits::kStatementSizeMax || size > limits::kStatementSizeMax) reader->Fail();
  expression.place = {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size)};
  expression.kind = static_cast<Kind>(kind);
  if (kind == kLiteral) {
    expression.literal = Value::Decode(reader);
    return expression;
  }
  if (kind == kSlot || kind == kVariable) {
    uint64_t slot = reader->Varint();
    // This check only keeps the number within 32 bits. Program::Decode checks that the slot exists,
    // and the evaluator checks that the variable exists.
    if (slot > 1'000'000) reader->Fail();
    expression.slot = static_cast<uint32_t>(slot);
    return expression;
  }
  // The byte may name no function; FindFunction then returns null, which is checked below.
  expression.function = static_cast<Function>(reader->Byte());
  uint8_t cast_type = reader->Byte();
  size_t count = reader->Count();
  // The evaluator reads arguments by index and relies on this check of their number.
  const FunctionInfo* info = FindFunction(expression.function);
  if (info == nullptr || cast_type > static_cast<uint8_t>(kLastValueType) ||
      count < static_cast<size_t>(info->arguments_min) ||
      count > static_cast<size_t>(info->arguments_max)) {
    reader->Fail();
    return expression;
  }
  expression.cast_type = static_cast<ValueType>(cast_type);
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    expression.args.push_back(Decode(reader, depth + 1));
  }
  return expression;
}

namespace {

// True if the function is printed between its arguments, as an operator is.
bool IsInfix(const Expression& call, const FunctionInfo* info) {
  switch (call.function) {
    case Function::kConcat:
      return call.args.size() == 2;
    // The language writes these without NAME(...), but their arguments are not the two sides of an
    // operator.
    case Function::kCase:
    case Function::kIn:
    case Function::kArray:
    case Function::kIndex:
    case Function::kItemAt:
    case Function::kRandom:
      return false;
    default:
      return info != nullptr && !info->is_call && call.args.size() >= 2;
  }
}

}  // namespace

std::string Expression::Print() const {
  if (kind == kLiteral) return PrintLiteral(literal);
  if (kind == kSlot) return fmt::format("${}", slot);
  if (kind == kVariable) return fmt::format("x{}", slot);
  const FunctionInfo* info = FindFunction(function);
  std::string name(info == nullptr ? "?" : info->name);
  if (function == Function::kCast || function == Function::kTryCast) {
    return fmt::format("{}({} AS {})", name, args[0].Print(), TypeName(cast_type));
  }
  if (function == Function::kCastItems || function == Function::kTryCastItems) {
    return fmt::format("{}({} AS ARRAY<{}>)", name, args[0].Print(), TypeName(cast_type));
  }
  if (function == Function::kConcat) name = "||";
  const bool infix = IsInfix(*this, info);
  std::string text = infix ? "(" : name + "(";
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) text += infix ? " " + name + " " : ", ";
    text += args[i].Print();
  }
  return text + ")";
}

}  // namespace sippar::engine
