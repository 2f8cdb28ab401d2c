// The rows of the functions that exist here because GoogleSQL has them. The code of the functions
// is in scalar_*.cc and evaluate*.cc.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/function_rows.h"

namespace sippar::engine {
namespace {

using enum Function;
using R = ResultRule;
using Rows = std::vector<FunctionRow>;
constexpr int kMany = kManyArguments;

Rows NumberRows() {
  return {
      {{kSign, "SIGN", 1, 1, true, "-1, 0 or 1", "x"}, R::kFirst},
      {{kSqrt, "SQRT", 1, 1, true, "square root", "x"}, R::kFloat64},
      {{kExp, "EXP", 1, 1, true, "e to the power of x", "x"}, R::kFloat64},
      {{kLn, "LN", 1, 1, true, "natural logarithm", "x"}, R::kFloat64},
      {{kLog, "LOG", 1, 2, true, "natural logarithm, or to the base of the second", "x [, base]"},
       R::kFloat64},
      {{kLog10, "LOG10", 1, 1, true, "logarithm to the base of 10", "x"}, R::kFloat64},
      {{kPower, "POWER", 2, 2, true, "the first to the power of the second", "x, y"}, R::kFloat64},
      {{kCeil, "CEIL", 1, 1, true, "smallest whole number from x on", "x"}, R::kFloat64},
      {{kFloor, "FLOOR", 1, 1, true, "greatest whole number up to x", "x"}, R::kFloat64},
      {{kTrunc, "TRUNC", 1, 2, true, "x cut to n digits after the point (0)", "x [, digits]"},
       R::kFloat64},
      {{kSin, "SIN", 1, 1, true, "sine", "x"}, R::kFloat64},
      {{kCos, "COS", 1, 1, true, "cosine", "x"}, R::kFloat64},
      {{kTan, "TAN", 1, 1, true, "tangent", "x"}, R::kFloat64},
      {{kCot, "COT", 1, 1, true, "cotangent", "x"}, R::kFloat64},
      {{kSec, "SEC", 1, 1, true, "secant", "x"}, R::kFloat64},
      {{kCsc, "CSC", 1, 1, true, "cosecant", "x"}, R::kFloat64},
      {{kAsin, "ASIN", 1, 1, true, "inverse sine", "x"}, R::kFloat64},
      {{kAcos, "ACOS", 1, 1, true, "inverse cosine", "x"}, R::kFloat64},
      {{kAtan, "ATAN", 1, 1, true, "inverse tangent", "x"}, R::kFloat64},
      {{kAtan2, "ATAN2", 2, 2, true, "angle of the point (second, first)", "y, x"}, R::kFloat64},
      {{kSinh, "SINH", 1, 1, true, "hyperbolic sine", "x"}, R::kFloat64},
      {{kCosh, "COSH", 1, 1, true, "hyperbolic cosine", "x"}, R::kFloat64},
      {{kTanh, "TANH", 1, 1, true, "hyperbolic tangent", "x"}, R::kFloat64},
      {{kCoth, "COTH", 1, 1, true, "hyperbolic cotangent", "x"}, R::kFloat64},
      {{kSech, "SECH", 1, 1, true, "hyperbolic secant", "x"}, R::kFloat64},
      {{kCsch, "CSCH", 1, 1, true, "hyperbolic cosecant", "x"}, R::kFloat64},
      {{kAsinh, "ASINH", 1, 1, true, "inverse hyperbolic sine", "x"}, R::kFloat64},
      {{kAcosh, "ACOSH", 1, 1, true, "inverse hyperbolic cosine", "x"}, R::kFloat64},
      {{kAtanh, "ATANH", 1, 1, true, "inverse hyperbolic tangent", "x"}, R::kFloat64},
      {{kIsNan, "IS_NAN", 1, 1, true, "is the number NaN?", "x"}, R::kBool},
      {{kIsInf, "IS_INF", 1, 1, true, "is the number infinite?", "x"}, R::kBool},
      {{kIeeeDivide, "IEEE_DIVIDE", 2, 2, true, "x / y that gives Infinity or NaN, not an error",
        "x, y"},
       R::kFloat64},
      {{kRandom, "RANDOM", 1, 2, false, ""}, R::kFloat64},
  };
}

Rows BitRows() {
  return {
      {{kBitAnd, "BITWISE_AND", 2, 2, true, "a & b, of INT64 or BYTES of one length", "a, b"},
       R::kFirst},
      {{kBitOr, "BITWISE_OR", 2, 2, true, "a | b, of INT64 or BYTES of one length", "a, b"},
       R::kFirst},
      {{kBitXor, "BITWISE_XOR", 2, 2, true, "a ^ b, of INT64 or BYTES of one length", "a, b"},
       R::kFirst},
      {{kBitNot, "BITWISE_NOT", 1, 1, true, "~a, of INT64 or BYTES", "a"}, R::kFirst},
      {{kShiftLeft, "SHIFT_LEFT", 2, 2, true, "a << n, of INT64 or BYTES", "a, n"}, R::kFirst},
      {{kShiftRight, "SHIFT_RIGHT", 2, 2, true, "a >> n, filled with zeros", "a, n"}, R::kFirst},
      {{kBitCount, "BIT_COUNT", 1, 1, true, "bits that are 1, of INT64 or BYTES", "a"}, R::kInt64},
  };
}

Rows TextRows() {
  return {
      {{kTrimLeft, "LTRIM", 1, 2, true, "without blanks (or characters of the second) in front",
        "text [, characters]"},
       R::kFirstString},
      {{kTrimRight, "RTRIM", 1, 2, true, "without blanks (or characters of the second) at the end",
        "text [, characters]"},
       R::kFirstString},
      {{kPadLeft, "LPAD", 2, 3, true, "filled in front to that length with blanks or the third",
        "text, length [, fill]"},
       R::kFirstString},
      {{kPadRight, "RPAD", 2, 3, true, "filled at the end to that length with blanks or the third",
        "text, length [, fill]"},
       R::kFirstString},
      {{kRepeat, "REPEAT", 2, 2, true, "the first, n times", "text, n"}, R::kFirstString},
      {{kLeft, "LEFT", 2, 2, true, "the first n characters or bytes", "text, n"}, R::kFirstString},
      {{kRight, "RIGHT", 2, 2, true, "the last n characters or bytes", "text, n"}, R::kFirstString},
      {{kInstr, "INSTR", 2, 4, true,
        "place of the second in the first; from a position (negative: from the end), n-th time",
        "text, part [, position [, n]]"},
       R::kInt64},
      {{kTranslate, "TRANSLATE", 3, 3, true,
        "each character of the second becomes that of the third at its place", "text, from, to"},
       R::kFirstString},
      {{kInitcap, "INITCAP", 1, 2, true, "each word with a capital (ASCII); the second separates",
        "text [, separators]"},
       R::kFirstString},
      {{kSplit, "SPLIT", 1, 2, true, "ARRAY of the parts between separators (a comma)",
        "text [, separator]"},
       R::kListOfFirst},
      {{kRegexExtractAll, "REGEXP_EXTRACT_ALL", 2, 2, true, "ARRAY of group 1 (or all) of matches",
        "text, regex"},
       R::kListOfFirst},
      {{kRegexSubstr, "REGEXP_SUBSTR", 2, 4, true,
        "group 1 (or all) of a match; from a position, the n-th", "text, regex [, position [, n]]"},
       R::kFirstString},
      {{kRegexInstr, "REGEXP_INSTR", 2, 5, true,
        "place of a match; from a position, the n-th; 1: the place after it",
        "text, regex [, position [, n [, end]]]"},
       R::kInt64},
      {{kAscii, "ASCII", 1, 1, true, "code of the first character or byte, 0 when empty", "text"},
       R::kInt64},
      {{kUnicode, "UNICODE", 1, 1, true, "code point of the first character, 0 when empty", "text"},
       R::kInt64},
      {{kChr, "CHR", 1, 1, true, "the character of a code point; '' for 0", "code"}, R::kText},
      {{kToCodePoints, "TO_CODE_POINTS", 1, 1, true, "ARRAY of code points, of BYTES the bytes",
        "text"},
       R::kIntegers},
      {{kCodePointsToText, "CODE_POINTS_TO_STRING", 1, 1, true, "TEXT of an ARRAY of code points",
        "codes"},
       R::kText},
      {{kCodePointsToBytes, "CODE_POINTS_TO_BYTES", 1, 1, true, "BYTES of an ARRAY of 0 to 255",
        "codes"},
       R::kBytes},
      {{kSafeBytesToText, "SAFE_CONVERT_BYTES_TO_STRING", 1, 1, true,
        "BYTES as TEXT; what is not UTF-8 becomes U+FFFD", "bytes"},
       R::kText},
      {{kToBase32, "TO_BASE32", 1, 1, true, "bytes as base32", "bytes"}, R::kText},
      {{kFromBase32, "FROM_BASE32", 1, 1, true, "base32 to bytes", "text"}, R::kBytes},
      {{kMd5, "MD5", 1, 1, true, "MD5 of the bytes, 16 bytes", "bytes"}, R::kBytes},
      {{kSha1, "SHA1", 1, 1, true, "SHA-1 of the bytes, 20 bytes", "bytes"}, R::kBytes},
      {{kSha256, "SHA256", 1, 1, true, "SHA-256 of the bytes, 32 bytes", "bytes"}, R::kBytes},
      {{kSha512, "SHA512", 1, 1, true, "SHA-512 of the bytes, 64 bytes", "bytes"}, R::kBytes},
      {{kFormat, "FORMAT", 1, kMany, true,
        "printf: %d %x %f %e %g %s, %t as printed, %T as written", "pattern, …"},
       R::kText},
      {{kSoundex, "SOUNDEX", 1, 1, true, "code of how an English word sounds", "text"}, R::kText},
  };
}

Rows TimeRows() {
  return {
      {{kTimeSpan, "TIME_SPAN", 2, 2, true, "n units: TIME_SPAN(5, 'day') is INTERVAL 5 DAY",
        "n, unit"},
       R::kDuration},
      {{kAddMonths, "ADD_MONTHS", 2, 2, true, "a time n months later, at most the month's last day",
        "time, n"},
       R::kFirst},
      {{kTruncTime, "TRUNC_TIME", 2, 3, true,
        "start of the 'hour', 'day', 'month' … of a time, in UTC or a zone", "unit, time [, zone]"},
       R::kSecond},
      {{kTimeDiff, "TIME_DIFF", 3, 3, true, "whole units from the third to the second",
        "unit, later, earlier"},
       R::kInt64},
      {{kFormatTimestamp, "FORMAT_TIMESTAMP", 2, 3, true,
        "a time by a pattern such as '%Y-%m-%d %H:%M', in UTC or a zone", "pattern, time [, zone]"},
       R::kText},
      {{kParseTimestamp, "PARSE_TIMESTAMP", 2, 3, true,
        "the time that a text has by a pattern, in UTC or a zone", "pattern, text [, zone]"},
       R::kTimestamp},
      {{kMakeDate, "MAKE_DATE", 3, 3, true, "start of the day: year, month, day (UTC)",
        "year, month, day"},
       R::kTimestamp},
  };
}

Rows ArrayRows() {
  return {
      {{kItemAt, "ITEM_AT", 3, 3, false, ""}, R::kItemOfFirst},
      {{kArrayConcat, "ARRAY_CONCAT", 1, kMany, true, "items of all arguments", "list, …"},
       R::kCommon},
      {{kArrayFirst, "ARRAY_FIRST", 1, 1, true, "first item; an error when there is none", "list"},
       R::kItemOfFirst},
      {{kArrayLast, "ARRAY_LAST", 1, 1, true, "last item; an error when there is none", "list"},
       R::kItemOfFirst},
      {{kArrayFirstN, "ARRAY_FIRST_N", 2, 2, true, "the first n items", "list, n"}, R::kFirst},
      {{kArrayLastN, "ARRAY_LAST_N", 2, 2, true, "the last n items", "list, n"}, R::kFirst},
      {{kArraySlice, "ARRAY_SLICE", 3, 3, true,
        "items from an offset to another, both in; 0 is the first, -1 the last",
        "list, begin, end"},
       R::kFirst},
      {{kArrayReverse, "ARRAY_REVERSE", 1, 1, true, "items backwards", "list"}, R::kFirst},
      {{kArrayIncludes, "ARRAY_INCLUDES", 2, 2, true,
        "is the second an item? x -> test: does an item pass?", "list, value"},
       R::kBool},
      {{kArrayIncludesAny, "ARRAY_INCLUDES_ANY", 2, 2, true, "is any item of the second in it?",
        "list, values"},
       R::kBool},
      {{kArrayIncludesAll, "ARRAY_INCLUDES_ALL", 2, 2, true, "are all items of the second in it?",
        "list, values"},
       R::kBool},
      {{kArrayIsDistinct, "ARRAY_IS_DISTINCT", 1, 1, true, "does no item occur twice?", "list"},
       R::kBool},
      {{kArrayOffset, "ARRAY_OFFSET", 2, 3, true,
        "offset of the 'first' or 'last' item that equals the second, from 0",
        "list, value [, mode]"},
       R::kInt64},
      {{kArrayOffsets, "ARRAY_OFFSETS", 2, 2, true, "offsets of the items that equal the second",
        "list, value"},
       R::kIntegers},
      {{kArrayToText, "ARRAY_TO_STRING", 2, 3, true,
        "items joined by the second; the third stands for NULL", "list, separator [, null_text]"},
       R::kText},
      {{kGenerateArray, "GENERATE_ARRAY", 2, 3, true, "ARRAY of start to end by a step (1)",
        "from, to [, step]"},
       R::kListOfFirst},
      {{kArrayFilter, "ARRAY_FILTER", 2, 2, true, "the items that pass x -> test", "list, lambda"},
       R::kFirst},
      {{kArrayTransform, "ARRAY_TRANSFORM", 2, 2, true, "x -> expression of each item",
        "list, lambda"},
       R::kLambda},
      {{kMapEmpty, "MAP_EMPTY", 1, 1, true, "has a MAP no entry?", "map"}, R::kBool},
      {{kMapEntries, "MAP_ENTRIES", 1, 1, true, "ARRAY of a MAP's (key, value)", "map"},
       R::kEntries},
      {{kStructOf, "NAMED_STRUCT", 2, kMany, true, "STRUCT of name, value, name, value …",
        "name, value, …"},
       R::kStruct},
      {{kCosineDistance, "COSINE_DISTANCE", 2, 2, true, "1 - cosine of the angle of two vectors",
        "a, b"},
       R::kFloat64},
      {{kEuclideanDistance, "EUCLIDEAN_DISTANCE", 2, 2, true, "distance of two vectors", "a, b"},
       R::kFloat64},
      {{kDotProduct, "DOT_PRODUCT", 2, 2, true, "dot product of two vectors", "a, b"}, R::kFloat64},
      {{kToVector32, "TO_VECTOR32", 1, 1, true, "BYTES of big-endian floats as a vector", "bytes"},
       R::kReals},
      {{kToVector64, "TO_VECTOR64", 1, 1, true, "BYTES of big-endian doubles as a vector", "bytes"},
       R::kReals},
      {{kToFloat32, "TO_FLOAT32", 1, 1, true, "4 big-endian bytes as a FLOAT64", "bytes"},
       R::kFloat64},
      {{kSafe, "SAFE", 1, 1, true, "NULL where the call in it fails; SAFE.f(x) is SAFE(f(x))",
        "call"},
       R::kFirst},
  };
}

}  // namespace

std::vector<FunctionRow> GoogleFunctionRows() {
  Rows all;
  for (const auto& part : {NumberRows(), BitRows(), TextRows(), TimeRows(), ArrayRows()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace sippar::engine
