// SPDX-License-Identifier: Apache-2.0
#include "engine/program/function.h"

#include <array>
#include <string>
#include <unordered_map>

#include "engine/program/result_rule.h"

namespace sippar::engine {
namespace {

struct Entry {
  FunctionInfo info;
  ResultRule result;
};

// The only definition of each function's name, arguments, meaning and result. Its code is in
// scalar_*.cc or evaluate.cc.
const std::vector<Entry>& Table() {
  using enum Function;
  using R = ResultRule;
  constexpr int kMany = kManyArguments;
  // Never destroyed: threads may still evaluate while the process exits.
  static const auto& table = *new std::vector<Entry>{
      {{kAnd, "AND", 2, kMany, false, ""}, R::kBool},
      {{kOr, "OR", 2, kMany, false, ""}, R::kBool},
      {{kNot, "NOT", 1, 1, false, ""}, R::kBool},
      {{kEqual, "=", 2, 2, false, ""}, R::kBool},
      {{kNotEqual, "!=", 2, 2, false, ""}, R::kBool},
      {{kLess, "<", 2, 2, false, ""}, R::kBool},
      {{kLessEqual, "<=", 2, 2, false, ""}, R::kBool},
      {{kGreater, ">", 2, 2, false, ""}, R::kBool},
      {{kGreaterEqual, ">=", 2, 2, false, ""}, R::kBool},
      {{kRegexFound, "REGEXP_MATCH", 2, 3, true, "is the regex found in the text?"}, R::kBool},
      {{kLike, "LIKE", 2, 2, false, ""}, R::kBool},
      {{kStartsWith, "STARTS_WITH", 2, 2, true, "does the text begin with the second?"}, R::kBool},
      {{kEndsWith, "ENDS_WITH", 2, 2, true, "does the text end with the second?"}, R::kBool},
      {{kIsNull, "IS NULL", 1, 1, false, ""}, R::kBool},
      {{kIn, "IN", 2, kMany, false, ""}, R::kBool},
      {{kCase, "CASE", 2, kMany, false, ""}, R::kBranches},
      {{kIf, "IF", 3, 3, true, "second when the first is TRUE, else third"}, R::kBranches},
      {{kCoalesce, "COALESCE", 1, kMany, true, "first that is not NULL"}, R::kCommon},
      {{kNullIf, "NULLIF", 2, 2, true, "NULL when both are equal, else the first"}, R::kFirst},
      {{kAdd, "+", 2, 2, false, ""}, R::kArithmetic},
      {{kSubtract, "-", 2, 2, false, ""}, R::kArithmetic},
      {{kMultiply, "*", 2, 2, false, ""}, R::kArithmetic},
      {{kDivide, "/", 2, 2, false, ""}, R::kArithmetic},
      {{kModulo, "MOD", 2, 2, true, "rest of the whole division, sign of the first"},
       R::kArithmetic},
      {{kNegate, "-", 1, 1, false, ""}, R::kArithmetic},
      {{kDiv, "DIV", 2, 2, true, "whole division, towards zero"}, R::kArithmetic},
      {{kAbs, "ABS", 1, 1, true, "absolute value"}, R::kArithmetic},
      {{kRound, "ROUND", 1, 2, true, "to n digits after the point, halves away from zero"},
       R::kArithmetic},
      {{kLeast, "LEAST", 1, kMany, true, "smallest argument; NULL when one is NULL"}, R::kCommon},
      {{kGreatest, "GREATEST", 1, kMany, true, "greatest argument; NULL when one is NULL"},
       R::kCommon},
      {{kConcat, "CONCAT", 1, kMany, true, "arguments joined; || is the same"}, R::kJoined},
      {{kLength, "LENGTH", 1, 1, true, "bytes of BYTES, characters of TEXT"}, R::kInt64},
      {{kSubstr, "SUBSTR", 2, 3, true, "from position (1 is the first, -1 the last), length"},
       R::kFirstString},
      {{kLower, "LOWER", 1, 1, true, "ASCII letters to lower case"}, R::kFirstString},
      {{kUpper, "UPPER", 1, 1, true, "ASCII letters to upper case"}, R::kFirstString},
      {{kReplace, "REPLACE", 3, 3, true, "every second argument becomes the third"},
       R::kFirstString},
      {{kTrim, "TRIM", 1, 2, true, "without blanks (or characters of the second) at both ends"},
       R::kFirstString},
      {{kSplitPart, "SPLIT_PART", 3, 3, true,
        "n-th part between separators, from 1; negative from the end"},
       R::kFirstString},
      {{kStrPos, "STRPOS", 2, 2, true, "place of the second in the first, from 1; 0 when absent"},
       R::kInt64},
      {{kReverse, "REVERSE", 1, 1, true, "backwards, by bytes or characters"}, R::kFirstString},
      {{kRegexExtract, "REGEXP_EXTRACT", 2, 3, true, "group (1, or the whole) of the first match"},
       R::kFirstString},
      {{kRegexReplace, "REGEXP_REPLACE", 3, 3, true,
        "every match becomes the third; \\1 is a group"},
       R::kFirstString},
      {{kToHex, "TO_HEX", 1, 1, true, "bytes as hex digits"}, R::kText},
      {{kFromHex, "FROM_HEX", 1, 1, true, "hex digits to bytes"}, R::kBytes},
      {{kToBase64, "TO_BASE64", 1, 1, true, "bytes as base64"}, R::kText},
      {{kFromBase64, "FROM_BASE64", 1, 1, true, "base64 to bytes"}, R::kBytes},
      {{kHash64, "HASH64", 1, 1, true, "XXH3-64 of the bytes, as INT64"}, R::kInt64},
      {{kCrc32c, "CRC32C", 1, 1, true, "CRC-32C of the bytes"}, R::kInt64},
      {{kUrlHost, "URL_HOST", 1, 1, true, "host of a URL, lower case; NULL when there is none"},
       R::kFirstString},
      {{kHllExtract, "HLL_EXTRACT", 1, 1, true,
        "the count that a cell of a UNIQUES family stands for"},
       R::kInt64},
      {{kJsonValue, "JSON_VALUE", 1, 2, true,
        "text, number or boolean at a path ('$.a.b[0]') of JSON; else NULL"},
       R::kText},
      {{kJsonQuery, "JSON_QUERY", 1, 2, true, "JSON at a path ('$.a.b[0]') of JSON; else NULL"},
       R::kText},
      {{kReverseHost, "REVERSE_HOST", 1, 1, true, "www.cnn.com becomes com.cnn.www"},
       R::kFirstString},
      {{kCast, "CAST", 1, 1, false, ""}, R::kCast},
      {{kTryCast, "TRY_CAST", 1, 1, false, ""}, R::kCast},
      {{kTimeBucket, "TIME_BUCKET", 2, 2, true, "start of the bucket of that width a time is in"},
       R::kSecond},
      {{kDatePart, "DATE_PART", 2, 2, true, "'year', 'month', 'day', 'hour' … of a time (UTC)"},
       R::kInt64},
      {{kFormatTime, "FORMAT_TIME", 2, 2, true, "a time by a strftime pattern (UTC)"}, R::kText},
      {{kArray, "ARRAY", 0, kMany, false, ""}, R::kArray},
      {{kIndex, "INDEX", 2, 2, false, ""}, R::kItem},
      {{kCardinality, "CARDINALITY", 1, 1, true, "entries of a MAP, items of an ARRAY"}, R::kInt64},
      {{kMapKeys, "MAP_KEYS", 1, 1, true, "ARRAY of a MAP's keys"}, R::kKeys},
      {{kMapValues, "MAP_VALUES", 1, 1, true, "ARRAY of a MAP's values"}, R::kValues},
  };
  return table;
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
  static const auto& infos = *[] {
    auto* infos_of_table = new std::vector<FunctionInfo>();
    for (const Entry& entry : Table()) infos_of_table->push_back(entry.info);
    return infos_of_table;
  }();
  return infos;
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
    // An array by the encoded number: the lookup is done for each node of a decoded program.
    auto* by_id = new std::array<const FunctionInfo*, 256>();
    by_id->fill(nullptr);
    for (const FunctionInfo& info : AllFunctions()) {
      (*by_id)[static_cast<uint8_t>(info.function)] = &info;
    }
    return by_id;
  }();
  return (*kById)[static_cast<uint8_t>(function)];
}

ResultRule ResultOf(Function function) {
  static const auto& by_id = *[] {
    auto* rules = new std::array<ResultRule, 256>();
    for (const Entry& entry : Table()) {
      (*rules)[static_cast<uint8_t>(entry.info.function)] = entry.result;
    }
    return rules;
  }();
  return by_id[static_cast<uint8_t>(function)];
}

std::string_view ResultName(ResultRule rule) {
  switch (rule) {
    case ResultRule::kBool:
      return "BOOL";
    case ResultRule::kInt64:
      return "INT64";
    case ResultRule::kText:
      return "TEXT";
    case ResultRule::kBytes:
      return "BYTES";
    case ResultRule::kCast:
      return "the type of the cast";
    case ResultRule::kFirst:
    case ResultRule::kFirstString:
      return "as argument 1";
    case ResultRule::kSecond:
      return "as argument 2";
    case ResultRule::kCommon:
    case ResultRule::kBranches:
      return "as the arguments";
    case ResultRule::kArithmetic:
      return "number, time or duration";
    case ResultRule::kJoined:
      return "TEXT or BYTES";
    case ResultRule::kArray:
    case ResultRule::kKeys:
    case ResultRule::kValues:
      return "ARRAY";
    case ResultRule::kItem:
      return "item";
  }
  return "";
}

}  // namespace sippar::engine
