// How the type of a function's result follows from the types of its arguments; query/analyze
// applies it. Part of each function's row in function.cc and google_functions.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/program/function.h"

namespace sippar::engine {

enum class ResultRule : uint8_t {
  kBool,
  kInt64,
  kText,
  kBytes,
  kFloat64,
  kTimestamp,
  kDuration,
  kDate,
  kCast,         // target type of the cast
  kCastItems,    // ARRAY of the target type of the cast
  kFirst,        // type of the first argument
  kSecond,       // type of the second argument
  kFirstString,  // type of the first argument, which is BYTES or TEXT
  kCommon,       // a type that fits all arguments
  // A type that fits all results of CASE: arguments 2, 4 … and, if their number is odd, the last.
  kBranches,
  kArithmetic,  // result type of the operation on numbers, times or durations
  kJoined,      // BYTES if any argument is BYTES, else TEXT
  kArray,       // ARRAY of a type that fits all arguments
  kItem,        // the type of a MAP's entry, an ARRAY's item or a STRUCT's field
  kKeys,
  kValues,
  kEntries,      // ARRAY of STRUCTs with the key and the value of a MAP's entry
  kItemOfFirst,  // type of the items of the first argument, an ARRAY
  kListOfFirst,  // ARRAY of the first argument's type
  kIntegers,     // ARRAY of INT64
  kReals,        // ARRAY of FLOAT64
  kLambda,       // ARRAY of the type of the second argument, the body of a lambda
  kStruct,       // STRUCT of the arguments 2, 4 …, named by the literals before them
};

ResultRule ResultOf(Function function);
std::string_view ResultName(ResultRule rule);  // text for SHOW FUNCTIONS: "INT64", "as argument 1"

}  // namespace sippar::engine
