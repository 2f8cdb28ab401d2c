// A node of the tree of expressions in a row program: a literal, a slot (an input of the program),
// or a function with arguments. Plain data; evaluate.h runs it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/coding.h"
#include "engine/program/function.h"
#include "engine/program/value.h"

namespace sippar::engine {

// Where an expression was written, as byte offsets into the statement's text, for run-time error
// messages. All places compare equal, so two expressions are equal wherever they were written.
struct TextPlace {
  uint32_t begin = 0;
  uint32_t end = 0;  // 0: not written in a statement
  bool IsNone() const { return end == 0; }
  bool operator==(const TextPlace&) const { return true; }
};

struct Expression {
  // kVariable occurs only inside a call with a lambda (kArrayFilter, kArrayTransform). If such a
  // call is nested in the lambdas of n other calls, its item is variable 2n, and the offset of the
  // item is variable 2n + 1.
  enum Kind : uint8_t { kLiteral = 0, kSlot = 1, kCall = 2, kVariable = 3 };
  Kind kind = kLiteral;
  Value literal;      // kLiteral: its value
  uint32_t slot = 0;  // kSlot: index into the program's slots; kVariable: number of the variable
  Function function = Function::kAnd;      // kCall: the called function
  ValueType cast_type = ValueType::kNull;  // kCall of a cast: target type, or that of the items
  std::vector<Expression> args;            // kCall: its arguments
  TextPlace place;

  static Expression Literal(Value value);
  static Expression Slot(uint32_t index);
  static Expression Variable(uint32_t number);
  static Expression Call(Function function, std::vector<Expression> args);
  static Expression Cast(ValueType type, Expression arg, bool try_cast = false);

  bool IsLiteral() const { return kind == kLiteral; }
  size_t CountNodes() const;  // nodes of the tree, this one included
  void Encode(std::string* out) const;
  // Fails `reader` on damage, on unknown functions, on wrong numbers of arguments, and if the tree
  // is deeper than limits::kExpressionDepthMax.
  static Expression Decode(Reader* reader, size_t depth = 0);
  std::string Print() const;  // text for EXPLAIN, with slots as $n
  bool operator==(const Expression&) const = default;
};

}  // namespace sippar::engine
