// SPDX-License-Identifier: Apache-2.0
#include "engine/program/function.h"

#include <array>
#include <string>
#include <unordered_map>

#include "engine/program/function_rows.h"

namespace sippar::engine {
namespace {

std::vector<FunctionRow> OwnRows() {
  using enum Function;
  using R = ResultRule;
  constexpr int kMany = kManyArguments;
  return {
      {{kAnd, "AND", 2, kMany, false, ""}, R::kBool},
      {{kOr, "OR", 2, kMany, false, ""}, R::kBool},
      {{kNot, "NOT", 1, 1, false, ""}, R::kBool},
      {{kEqual, "=", 2, 2, false, ""}, R::kBool},
      {{kNotEqual, "!=", 2, 2, false, ""}, R::kBool},
      {{kLess, "<", 2, 2, false, ""}, R::kBool},
      {{kLessEqual, "<=", 2, 2, false, ""}, R::kBool},
      {{kGreater, ">", 2, 2, false, ""}, R::kBool},
      {{kGreaterEqual, ">=", 2, 2, false, ""}, R::kBool},
      {{kRegexFound, "REGEXP_MATCH", 2, 3, true, "is the regex found in the text?",
        "text, regex [, 'i']"},
       R::kBool},
      {{kLike, "LIKE", 2, 2, false, ""}, R::kBool},
      {{kStartsWith, "STARTS_WITH", 2, 2, true, "does the text begin with the second?",
        "text, part"},
       R::kBool},
      {{kEndsWith, "ENDS_WITH", 2, 2, true, "does the text end with the second?", "text, part"},
       R::kBool},
      {{kIsNull, "IS NULL", 1, 1, false, ""}, R::kBool},
      {{kIn, "IN", 2, kMany, false, ""}, R::kBool},
      {{kCase, "CASE", 2, kMany, false, ""}, R::kBranches},
      {{kIf, "IF", 3, 3, true, "second when the first is TRUE, else third", "test, then, else"},
       R::kBranches},
      {{kCoalesce, "COALESCE", 1, kMany, true, "first that is not NULL", "value, …"}, R::kCommon},
      {{kNullIf, "NULLIF", 2, 2, true, "NULL when both are equal, else the first", "value, other"},
       R::kFirst},
      {{kAdd, "+", 2, 2, false, ""}, R::kArithmetic},
      {{kSubtract, "-", 2, 2, false, ""}, R::kArithmetic},
      {{kMultiply, "*", 2, 2, false, ""}, R::kArithmetic},
      {{kDivide, "/", 2, 2, false, ""}, R::kArithmetic},
      {{kModulo, "MOD", 2, 2, true, "rest of the whole division, sign of the first", "a, b"},
       R::kArithmetic},
      {{kNegate, "-", 1, 1, false, ""}, R::kArithmetic},
      {{kDiv, "DIV", 2, 2, true, "whole division, towards zero", "a, b"}, R::kArithmetic},
      {{kAbs, "ABS", 1, 1, true, "absolute value", "x"}, R::kArithmetic},
      {{kRound, "ROUND", 1, 2, true, "to n digits after the point, halves away from zero",
        "x [, digits]"},
       R::kArithmetic},
      {{kLeast, "LEAST", 1, kMany, true, "smallest argument; NULL when one is NULL", "value, …"},
       R::kCommon},
      {{kGreatest, "GREATEST", 1, kMany, true, "greatest argument; NULL when one is NULL",
        "value, …"},
       R::kCommon},
      {{kConcat, "CONCAT", 1, kMany, true, "arguments joined; || is the same", "value, …"},
       R::kJoined},
      {{kLength, "LENGTH", 1, 1, true, "bytes of BYTES, characters of TEXT", "text"}, R::kInt64},
      {{kSubstr, "SUBSTR", 2, 3, true, "from position (1 is the first, -1 the last), length",
        "text, from [, length]"},
       R::kFirstString},
      {{kLower, "LOWER", 1, 1, true, "letters to lower case; of BYTES ASCII letters", "text"},
       R::kFirstString},
      {{kUpper, "UPPER", 1, 1, true, "letters to upper case; of BYTES ASCII letters", "text"},
       R::kFirstString},
      {{kReplace, "REPLACE", 3, 3, true, "every second argument becomes the third",
        "text, from, to"},
       R::kFirstString},
      {{kTrim, "TRIM", 1, 2, true, "without blanks (or characters of the second) at both ends",
        "text [, characters]"},
       R::kFirstString},
      {{kSplitPart, "SPLIT_PART", 3, 3, true,
        "n-th part between separators, from 1; negative from the end", "text, separator, n"},
       R::kFirstString},
      {{kStrPos, "STRPOS", 2, 2, true, "place of the second in the first, from 1; 0 when absent",
        "text, part"},
       R::kInt64},
      {{kReverse, "REVERSE", 1, 1, true, "backwards, by bytes or characters", "text"},
       R::kFirstString},
      {{kRegexExtract, "REGEXP_EXTRACT", 2, 3, true, "group (1, or the whole) of the first match",
        "text, regex [, group]"},
       R::kFirstString},
      {{kRegexReplace, "REGEXP_REPLACE", 3, 3, true,
        "every match becomes the third; \\1 is a group", "text, regex, rewrite"},
       R::kFirstString},
      {{kToHex, "TO_HEX", 1, 1, true, "bytes as hex digits", "bytes"}, R::kText},
      {{kFromHex, "FROM_HEX", 1, 1, true, "hex digits to bytes", "text"}, R::kBytes},
      {{kToBase64, "TO_BASE64", 1, 1, true, "bytes as base64", "bytes"}, R::kText},
      {{kFromBase64, "FROM_BASE64", 1, 1, true, "base64 to bytes", "text"}, R::kBytes},
      {{kHash64, "HASH64", 1, 1, true, "XXH3-64 of the bytes, as INT64", "bytes"}, R::kInt64},
      {{kCrc32c, "CRC32C", 1, 1, true, "CRC-32C of the bytes", "bytes"}, R::kInt64},
      {{kUrlHost, "URL_HOST", 1, 1, true, "host of a URL, lower case; NULL when there is none",
        "url"},
       R::kFirstString},
      {{kHllExtract, "HLL_EXTRACT", 1, 1, true,
        "the count that a cell of a UNIQUES family stands for", "cell"},
       R::kInt64},
      {{kJsonValue, "JSON_VALUE", 1, 2, true,
        "text, number or boolean at a path ('$.a.b[0]') of JSON; else NULL", "json [, path]"},
       R::kText},
      {{kJsonQuery, "JSON_QUERY", 1, 2, true, "JSON at a path ('$.a.b[0]') of JSON; else NULL",
        "json [, path]"},
       R::kText},
      {{kReverseHost, "REVERSE_HOST", 1, 1, true, "www.cnn.com becomes com.cnn.www", "host"},
       R::kFirstString},
      {{kCast, "CAST", 1, 1, false, ""}, R::kCast},
      {{kTryCast, "TRY_CAST", 1, 1, false, ""}, R::kCast},
      {{kTimeBucket, "TIME_BUCKET", 2, 2, true, "start of the bucket of that width a time is in",
        "width, time"},
       R::kSecond},
      {{kDatePart, "DATE_PART", 2, 3, true,
        "'year', 'month', 'day', 'hour' … of a time, in UTC or the zone of the third",
        "part, time [, zone]"},
       R::kInt64},
      {{kFormatTime, "FORMAT_TIME", 2, 2, true, "a time by a strftime pattern (UTC)",
        "pattern, time"},
       R::kText},
      {{kArray, "ARRAY", 0, kMany, false, ""}, R::kArray},
      {{kIndex, "INDEX", 2, 2, false, ""}, R::kItem},
      {{kCardinality, "CARDINALITY", 1, 1, true, "entries of a MAP, items of an ARRAY", "list"},
       R::kInt64},
      {{kMapKeys, "MAP_KEYS", 1, 1, true, "ARRAY of a MAP's keys", "map"}, R::kKeys},
      {{kMapValues, "MAP_VALUES", 1, 1, true, "ARRAY of a MAP's values", "map"}, R::kValues},
  };
}

// The only definition of each function's name, arguments, meaning and result type. The code of the
// functions is in scalar_*.cc and evaluate*.cc.
const std::vector<FunctionRow>& Table() {
  // Never destroyed: threads may still evaluate while the process exits.
  static const auto& table = *[] {
    auto* rows = new std::vector<FunctionRow>(OwnRows());
    for (FunctionRow& row : GoogleFunctionRows()) rows->push_back(row);
    return rows;
  }();
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
    for (const FunctionRow& entry : Table()) infos_of_table->push_back(entry.info);
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
    // An array indexed by the encoded number, because each node of a decoded program needs a
    // lookup.
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
    for (const FunctionRow& entry : Table()) {
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
    case ResultRule::kFloat64:
      return "FLOAT64";
    case ResultRule::kTimestamp:
      return "TIMESTAMP";
    case ResultRule::kDuration:
      return "DURATION";
    case ResultRule::kDate:
      return "DATE";
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
    case ResultRule::kCastItems:
    case ResultRule::kArray:
    case ResultRule::kKeys:
    case ResultRule::kValues:
    case ResultRule::kEntries:
    case ResultRule::kListOfFirst:
    case ResultRule::kIntegers:
    case ResultRule::kReals:
    case ResultRule::kLambda:
      return "ARRAY";
    case ResultRule::kStruct:
      return "STRUCT";
    case ResultRule::kItem:
    case ResultRule::kItemOfFirst:
      return "item";
  }
  return "";
}

}  // namespace sippar::engine
