// What type a function gives, by the types of its arguments; part of its row in function.cc.
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
  kCast,         // the type of the cast
  kFirst,        // as the first argument
  kSecond,       // as the second
  kFirstString,  // as the first argument, which is BYTES or TEXT
  kCommon,       // one that all arguments fit
  kBranches,  // one that the results of CASE fit: arguments 2, 4 … and the last of an odd number
  kArithmetic,  // what the operation makes of numbers, times and durations
  kJoined,      // BYTES when one argument is, else TEXT
  kArray,       // of what fits all arguments
  kItem,        // an entry of a MAP, an item of an ARRAY, a field of a STRUCT
  kKeys,
  kValues,
};

ResultRule ResultOf(Function function);
std::string_view ResultName(ResultRule rule);  // for SHOW FUNCTIONS: "INT64", "as argument 1"

}  // namespace sippar::engine
