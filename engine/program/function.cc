// The table of functions. SPDX-License-Identifier: Apache-2.0
#include "engine/program/function.h"

#include <array>
#include <string>
#include <unordered_map>

namespace sippar::engine {
namespace {

std::vector<FunctionInfo> MakeTable() {
  using enum Function;
  constexpr int kMany = kManyArguments;
  return {
      {kAnd, "AND", 2, kMany, false, ""},
      {kOr, "OR", 2, kMany, false, ""},
      {kNot, "NOT", 1, 1, false, ""},
      {kEqual, "=", 2, 2, false, ""},
      {kNotEqual, "!=", 2, 2, false, ""},
      {kLess, "<", 2, 2, false, ""},
      {kLessEqual, "<=", 2, 2, false, ""},
      {kGreater, ">", 2, 2, false, ""},
      {kGreaterEqual, ">=", 2, 2, false, ""},
      {kRegexFound, "REGEXP_MATCH", 2, 3, true, "is the regex found in the text?"},
      {kLike, "LIKE", 2, 2, false, ""},
      {kStartsWith, "STARTS_WITH", 2, 2, true, "does the text begin with the second?"},
      {kEndsWith, "ENDS_WITH", 2, 2, true, "does the text end with the second?"},
      {kIsNull, "IS NULL", 1, 1, false, ""},
      {kIn, "IN", 2, kMany, false, ""},
      {kCase, "CASE", 2, kMany, false, ""},
      {kIf, "IF", 3, 3, true, "second when the first is TRUE, else third"},
      {kCoalesce, "COALESCE", 1, kMany, true, "first that is not NULL"},
      {kNullIf, "NULLIF", 2, 2, true, "NULL when both are equal, else the first"},
      {kAdd, "+", 2, 2, false, ""},
      {kSubtract, "-", 2, 2, false, ""},
      {kMultiply, "*", 2, 2, false, ""},
      {kDivide, "/", 2, 2, false, ""},
      {kModulo, "MOD", 2, 2, true, "rest of the whole division, sign of the first"},
      {kNegate, "-", 1, 1, false, ""},
      {kDiv, "DIV", 2, 2, true, "whole division, towards zero"},
      {kAbs, "ABS", 1, 1, true, "absolute value"},
      {kRound, "ROUND", 1, 2, true, "to n digits behind the point, halves away from zero"},
      {kLeast, "LEAST", 1, kMany, true, "smallest argument; NULL when one is NULL"},
      {kGreatest, "GREATEST", 1, kMany, true, "greatest argument; NULL when one is NULL"},
      {kConcat, "CONCAT", 1, kMany, true, "arguments joined; || is the same"},
      {kLength, "LENGTH", 1, 1, true, "bytes of BYTES, characters of TEXT"},
      {kSubstr, "SUBSTR", 2, 3, true, "from position (1 is the first, -1 the last), length"},
      {kLower, "LOWER", 1, 1, true, "ASCII letters to lower case"},
      {kUpper, "UPPER", 1, 1, true, "ASCII letters to upper case"},
      {kReplace, "REPLACE", 3, 3, true, "every second argument becomes the third"},
      {kTrim, "TRIM", 1, 2, true, "without blanks (or characters of the second) at both ends"},
      {kSplitPart, "SPLIT_PART", 3, 3, true,
       "n-th part between separators, from 1; negative from the end"},
      {kStrPos, "STRPOS", 2, 2, true, "place of the second in the first, from 1; 0 when absent"},
      {kReverse, "REVERSE", 1, 1, true, "backwards, by bytes or characters"},
      {kRegexExtract, "REGEXP_EXTRACT", 2, 3, true, "group (1, or the whole) of the first match"},
      {kRegexReplace, "REGEXP_REPLACE", 3, 3, true,
       "every match becomes the third; \\1 is a group"},
      {kToHex, "TO_HEX", 1, 1, true, "bytes as hex digits"},
      {kFromHex, "FROM_HEX", 1, 1, true, "hex digits to bytes"},
      {kToBase64, "TO_BASE64", 1, 1, true, "bytes as base64"},
      {kFromBase64, "FROM_BASE64", 1, 1, true, "base64 to bytes"},
      {kHash64, "HASH64", 1, 1, true, "XXH3-64 of the bytes, as INT64"},
      {kCrc32c, "CRC32C", 1, 1, true, "CRC-32C of the bytes"},
      {kUrlHost, "URL_HOST", 1, 1, true, "host of a URL, lower case; NULL when there is none"},
      {kHllExtract, "HLL_EXTRACT", 1, 1, true,
       "the count that a cell of a UNIQUES family stands for"},
      {kReverseHost, "REVERSE_HOST", 1, 1, true, "www.cnn.com becomes com.cnn.www"},
      {kCast, "CAST", 1, 1, false, ""},
      {kTryCast, "TRY_CAST", 1, 1, false, ""},
      {kTimeBucket, "TIME_BUCKET", 2, 2, true, "start of the bucket of that width a time is in"},
      {kDatePart, "DATE_PART", 2, 2, true, "'year', 'month', 'day', 'hour' … of a time (UTC)"},
      {kFormatTime, "FORMAT_TIME", 2, 2, true, "a time by a strftime pattern (UTC)"},
      {kArray, "ARRAY", 0, kMany, false, ""},
      {kIndex, "INDEX", 2, 2, false, ""},
      {kCardinality, "CARDINALITY", 1, 1, true, "entries of a MAP, items of an ARRAY"},
      {kMapKeys, "MAP_KEYS", 1, 1, true, "ARRAY of a MAP's keys"},
      {kMapValues, "MAP_VALUES", 1, 1, true, "ARRAY of a MAP's values"},
  };
}

std::string ToUpper(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

}  // namespace

const std::vector<FunctionInfo>& AllFunctions() {
  static const auto* kTable = new std::vector<FunctionInfo>(MakeTable());
  return *kTable;
}

const FunctionInfo* FindFunction(std::string_view name) {
  static const auto* kByName = [] {
    auto* by_name = new std::unordered_map<std::string, const FunctionInfo*>();
    for (const FunctionInfo& info : AllFunctions()) {
      if (info.is_call) by_name->emplace(info.name, &info);
    }
    return by_name;
  }();
  auto found = kByName->find(ToUpper(name));
  return found == kByName->end() ? nullptr : found->second;
}

const FunctionInfo* FindFunction(Function function) {
  static const auto* kById = [] {
    auto* by_id = new std::array<const FunctionInfo*, 256>();
    by_id->fill(nullptr);
    for (const FunctionInfo& info : AllFunctions()) {
      (*by_id)[static_cast<uint8_t>(info.function)] = &info;
    }
    return by_id;
  }();
  return (*kById)[static_cast<uint8_t>(function)];
}

}  // namespace sippar::engine
