// Every operator and function that a program can contain, with its name and number of arguments.
// The numbers are part of encoded programs, so new ones are added and none is changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sippar::engine {

enum class Function : uint8_t {
  // Logic and tests.
  kAnd = 1,
  kOr = 2,
  kNot = 3,
  kEqual = 4,
  kNotEqual = 5,
  kLess = 6,
  kLessEqual = 7,
  kGreater = 8,
  kGreaterEqual = 9,
  kRegexFound = 10,  // text, regex [, 'i']
  kLike = 11,
  kStartsWith = 12,
  kEndsWith = 13,
  kIsNull = 14,
  kIn = 15,    // value, list …
  kCase = 16,  // (condition, result) … [else]
  kIf = 17,
  kCoalesce = 18,
  kNullIf = 19,
  // Arithmetic.
  kAdd = 30,
  kSubtract = 31,
  kMultiply = 32,
  kDivide = 33,
  kModulo = 34,
  kNegate = 35,
  kDiv = 36,
  kAbs = 37,
  kRound = 38,
  kLeast = 39,
  kGreatest = 40,
  // Text and bytes.
  kConcat = 60,  // ||
  kLength = 61,
  kSubstr = 62,
  kLower = 63,
  kUpper = 64,
  kReplace = 65,
  kTrim = 66,
  kSplitPart = 67,
  kStrPos = 68,
  kReverse = 69,
  kRegexExtract = 70,
  kRegexReplace = 71,
  kToHex = 72,
  kFromHex = 73,
  kToBase64 = 74,
  kFromBase64 = 75,
  kHash64 = 76,
  kCrc32c = 77,
  kUrlHost = 78,
  kReverseHost = 79,
  kHllExtract = 80,
  kJsonValue = 81,
  kJsonQuery = 82,
  // Types, time, collections.
  kCast = 100,     // Expression::cast_type
  kTryCast = 101,  // NULL where kCast fails
  kTimeBucket = 102,
  kDatePart = 103,
  kFormatTime = 104,
  kArray = 110,
  kIndex = 111,
  kCardinality = 112,
  kMapKeys = 113,
  kMapValues = 114,
};

inline constexpr int kManyArguments = 1'000'000;

struct FunctionInfo {
  Function function;
  std::string_view name;  // upper case; operators have their sign
  int arguments_min;
  int arguments_max;
  bool is_call;              // true: it may be written as NAME(…)
  std::string_view meaning;  // text for SHOW FUNCTIONS; "" for operators
};

const std::vector<FunctionInfo>& AllFunctions();
// Null if there is no such function. Ignores the case of `name`.
const FunctionInfo* FindFunction(std::string_view name);
const FunctionInfo* FindFunction(Function function);

}  // namespace sippar::engine
