// Every operator and function that a program can contain, with its name and number of arguments.
// The numbers are part of encoded programs: they never change, and new functions get new numbers.
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
  kRegexFound = 10,  // arguments: text, regex [, 'i']
  kLike = 11,
  kStartsWith = 12,
  kEndsWith = 13,
  kIsNull = 14,
  kIn = 15,    // arguments: value, list …
  kCase = 16,  // arguments: (condition, result) … [else]
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
  kConcat = 60,  // operator ||
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
  kCast = 100,     // cast to the type Expression::cast_type
  kTryCast = 101,  // NULL where kCast fails
  kTimeBucket = 102,
  kDatePart = 103,
  kFormatTime = 104,
  kArray = 110,
  kIndex = 111,
  kCardinality = 112,
  kMapKeys = 113,
  kMapValues = 114,
  // Functions of GoogleSQL for which no function above is used; their rows are in
  // google_functions.cc.
  kSafe = 130,  // argument: a call; NULL where that call fails
  // Numbers and bits.
  kSign = 131,
  kSqrt = 132,
  kExp = 133,
  kLn = 134,
  kLog = 135,
  kLog10 = 136,
  kPower = 137,
  kCeil = 138,
  kFloor = 139,
  kTrunc = 140,
  kSin = 141,
  kCos = 142,
  kTan = 143,
  kCot = 144,
  kSec = 145,
  kCsc = 146,
  kAsin = 147,
  kAcos = 148,
  kAtan = 149,
  kAtan2 = 150,
  kSinh = 151,
  kCosh = 152,
  kTanh = 153,
  kCoth = 154,
  kSech = 155,
  kCsch = 156,
  kAsinh = 157,
  kAcosh = 158,
  kAtanh = 159,
  kIsNan = 160,
  kIsInf = 161,
  kIeeeDivide = 162,
  kBitAnd = 163,
  kBitOr = 164,
  kBitXor = 165,
  kBitNot = 166,
  kShiftLeft = 167,
  kShiftRight = 168,
  kBitCount = 169,
  kRandom = 170,  // arguments: seed [, row key]
  // Text and bytes.
  kTrimLeft = 175,
  kTrimRight = 176,
  kPadLeft = 177,
  kPadRight = 178,
  kRepeat = 179,
  kLeft = 180,
  kRight = 181,
  kInstr = 182,
  kTranslate = 183,
  kInitcap = 184,
  kSplit = 185,
  kRegexExtractAll = 186,
  kRegexSubstr = 187,
  kRegexInstr = 188,
  kAscii = 189,
  kUnicode = 190,
  kChr = 191,
  kToCodePoints = 192,
  kCodePointsToText = 193,
  kCodePointsToBytes = 194,
  kSafeBytesToText = 195,
  kToBase32 = 196,
  kFromBase32 = 197,
  kMd5 = 198,
  kSha1 = 199,
  kSha256 = 200,
  kSha512 = 201,
  kFormat = 202,
  kSoundex = 203,
  // Times.
  kTimeSpan = 205,  // arguments: count, part
  kAddMonths = 206,
  kTruncTime = 207,  // arguments: part, time [, zone]
  kTimeDiff = 208,   // arguments: part, later, earlier
  kFormatTimestamp = 209,
  kParseTimestamp = 210,
  kMakeDate = 211,    // only in programs of older clients
  kParseDate = 212,   // only in programs of older clients
  kMonthArray = 213,  // arguments: first time, last time, months between two times
  kLastDayOf = 214,   // arguments: part, time
  // Collections.
  kItemAt = 215,  // arguments: ARRAY, index, index of the first item
  kArrayConcat = 216,
  kArrayFirst = 217,
  kArrayLast = 218,
  kArrayFirstN = 219,
  kArrayLastN = 220,
  kArraySlice = 221,
  kArrayReverse = 222,
  kArrayIncludes = 223,
  kArrayIncludesAny = 224,
  kArrayIncludesAll = 225,
  kArrayIsDistinct = 226,
  kArrayOffset = 227,
  kArrayOffsets = 228,
  kArrayToText = 229,
  kGenerateArray = 230,
  kArrayFilter = 231,     // arguments: ARRAY, test that uses the call's variables
  kArrayTransform = 232,  // arguments: ARRAY, expression that uses the call's variables
  kMapEmpty = 233,
  kMapEntries = 234,
  kStructOf = 235,  // arguments: (name, value) …
  kCosineDistance = 236,
  kEuclideanDistance = 237,
  kDotProduct = 238,
  kToVector32 = 239,
  kToVector64 = 240,
  kToFloat32 = 241,
  // Unicode.
  kNormalizeForm = 242,  // arguments: form, text
  kNormalizeFold = 243,  // arguments: form, text
  kFarmFingerprint = 244,
  kFoldCase = 245,
  kIsDistinct = 246,    // arguments: a, b; never NULL
  kCastItems = 247,     // casts the items of an ARRAY to Expression::cast_type
  kTryCastItems = 248,  // NULL where kCastItems fails
  kDateOf = 249,        // arguments: time [, zone], or year, month, day
  kReadDate = 250,      // arguments: pattern, text
};

inline constexpr int kManyArguments = 1'000'000;

struct FunctionInfo {
  Function function;
  std::string_view name;  // name in upper case, or the sign of an operator
  int arguments_min;
  int arguments_max;
  bool is_call;                     // true: it may be written as NAME(…)
  std::string_view meaning;         // text for SHOW FUNCTIONS; "" unless is_call
  std::string_view signature = {};  // names of the arguments: "text, length [, fill]"
};

const std::vector<FunctionInfo>& AllFunctions();
// Null if there is no such function; by name, only functions with is_call are found. Ignores the
// case of `name`.
const FunctionInfo* FindFunction(std::string_view name);
const FunctionInfo* FindFunction(Function function);

}  // namespace sippar::engine
