// Expressions: three-valued logic, casts, errors with positions, encoding.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/evaluate.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

Expression L(Value value) { return Expression::Literal(std::move(value)); }
Value I(int64_t n) { return Value::Int64(n); }
Value T(const char* text) { return Value::Text(text); }

std::string Call(Function function, std::vector<Value> values) {
  std::vector<Expression> args;
  for (Value& value : values) args.push_back(L(std::move(value)));
  auto result = EvaluateConstant(Expression::Call(function, std::move(args)));
  return result.ok() ? result->Print() : "error " + ProgramErrorCode(result.status());
}

std::string Cast(ValueType type, Value value, bool try_cast = false) {
  auto result = EvaluateConstant(Expression::Cast(type, L(std::move(value)), try_cast));
  return result.ok() ? result->Print() : "error " + ProgramErrorCode(result.status());
}

TEST(EvaluateTest, ThreeValuedLogic) {
  const Value kTrue = Value::Bool(true), kFalse = Value::Bool(false), kNull;
  EXPECT_EQ(Call(Function::kAnd, {kTrue, kNull}), "NULL");
  EXPECT_EQ(Call(Function::kAnd, {kNull, kFalse}), "FALSE");
  EXPECT_EQ(Call(Function::kOr, {kNull, kTrue}), "TRUE");
  EXPECT_EQ(Call(Function::kOr, {kNull, kFalse}), "NULL");
  EXPECT_EQ(Call(Function::kNot, {kNull}), "NULL");
  EXPECT_EQ(Call(Function::kIn, {I(1), I(2), kNull}), "NULL");
  EXPECT_EQ(Call(Function::kIn, {I(2), I(2), kNull}), "TRUE");
  EXPECT_EQ(Call(Function::kEqual, {kNull, kNull}), "NULL");
  EXPECT_EQ(Call(Function::kAnd, {kTrue, I(1)}), "error TYPE");
  EXPECT_EQ(Call(Function::kCase, {kNull, I(1), kTrue, I(2)}), "2");
  EXPECT_EQ(Call(Function::kCase, {kFalse, I(1)}), "NULL");
}

TEST(EvaluateTest, ArithmeticNeverWraps) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Call(Function::kAdd, {I(kMax), I(1)}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kSubtract, {I(kMin), I(1)}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kMultiply, {I(kMax), I(2)}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kNegate, {I(kMin)}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kAbs, {I(kMin)}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kDiv, {I(kMin), I(-1)}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kModulo, {I(kMin), I(-1)}), "0");
  EXPECT_EQ(Call(Function::kDivide, {I(1), I(0)}), "error DIVISION_BY_ZERO");
  EXPECT_EQ(Call(Function::kDivide, {I(7), I(2)}), "3.5");
  EXPECT_EQ(Call(Function::kSubtract, {Value::Timestamp(9), Value::Duration(4)}),
            "1970-01-01T00:00:00.000005Z");
  EXPECT_EQ(Call(Function::kSubtract, {Value::Timestamp(9), I(4)}), "5us");
  EXPECT_EQ(Call(Function::kAdd, {T("a"), I(1)}), "error TYPE");
}

TEST(EvaluateTest, Casts) {
  EXPECT_EQ(Cast(ValueType::kInt64, Value::Bytes(std::string("\0\0\0\0\0\0\0\x2a", 8))), "42");
  EXPECT_EQ(Cast(ValueType::kInt64, Value::Bytes("42")), "error DECODE");
  EXPECT_EQ(Cast(ValueType::kInt64, Value::Bytes("42"), true), "NULL");
  EXPECT_EQ(Cast(ValueType::kInt64, T(" -42 ")), "-42");
  EXPECT_EQ(Cast(ValueType::kInt64, T("9223372036854775808")), "error DECODE");
  EXPECT_EQ(Cast(ValueType::kInt64, Value::Float64(1e30)), "error OVERFLOW");
  EXPECT_EQ(Cast(ValueType::kText, Value::Bytes("\xff")), "error DECODE");
  EXPECT_EQ(Cast(ValueType::kTimestamp, T("2026-11-20T12:00:00+01:00")), "2026-11-20T11:00:00Z");
  EXPECT_EQ(Cast(ValueType::kTimestamp, T("2026-02-30T12:00:00Z")), "error DECODE");
  EXPECT_EQ(Cast(ValueType::kTimestamp, T("2026-11-20T12:00:00")), "2026-11-20T12:00:00Z");
}

TEST(EvaluateTest, Dates) {
  const Value day = Value::Date(20'484);  // 2026-01-31
  EXPECT_EQ(Cast(ValueType::kDate, T("2026-01-31")), "2026-01-31");
  EXPECT_EQ(Cast(ValueType::kDate, Value::Timestamp(-1)), "1969-12-31");
  EXPECT_EQ(Cast(ValueType::kDate, T("2026-02-30")), "error DECODE");
  EXPECT_EQ(Cast(ValueType::kDate, Value::Timestamp(INT64_MAX)), "error OVERFLOW");
  EXPECT_EQ(Cast(ValueType::kTimestamp, day), "2026-01-31T00:00:00Z");
  EXPECT_EQ(Cast(ValueType::kInt64, day), "error TYPE");
  EXPECT_EQ(Call(Function::kAdd, {I(1), day}), "2026-02-01");
  EXPECT_EQ(Call(Function::kSubtract, {day, I(INT64_MIN)}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kSubtract, {I(INT64_MIN), day}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kSubtract, {day, Value::Date(0)}), "20484d");
  EXPECT_EQ(Call(Function::kLess, {day, Value::Date(0)}), "FALSE");
  EXPECT_EQ(Call(Function::kLess, {day, Value::Timestamp(0)}), "FALSE");
  EXPECT_EQ(Call(Function::kDateOf, {Value::Timestamp(INT64_MIN), T("+01:00")}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kTruncTime, {T("week"), Value::Date(-719'162)}), "error OVERFLOW");
  EXPECT_EQ(Call(Function::kLastDayOf, {T("week"), Value::Date(2'932'896)}), "error OVERFLOW");
  // Programs of clients from before the type DATE.
  EXPECT_EQ(Call(Function::kMakeDate, {I(2026), I(1), I(31)}), "2026-01-31T00:00:00Z");
  EXPECT_EQ(Call(Function::kParseDate, {T("%F"), T("2026-01-31")}), "2026-01-31T00:00:00Z");
  EXPECT_EQ(Call(Function::kTruncTime, {T("date"), Value::Timestamp(1)}), "1970-01-01T00:00:00Z");
}

TEST(EvaluateTest, TextFunctionsCountCharactersOfTextAndBytesOfBytes) {
  EXPECT_EQ(Call(Function::kLength, {T("h\u00e4")}), "2");
  EXPECT_EQ(Call(Function::kLength, {Value::Bytes("h\u00e4")}), "3");
  EXPECT_EQ(Call(Function::kSubstr, {T("h\u00e4xy"), I(2), I(2)}), "\u00e4x");
  EXPECT_EQ(Call(Function::kSubstr, {T("abc"), I(-2)}), "bc");
  EXPECT_EQ(Call(Function::kSubstr, {T("abc"), I(-9), I(2)}), "ab");
  EXPECT_EQ(Call(Function::kSubstr, {T("abc"), I(9)}), "");
  EXPECT_EQ(Call(Function::kSubstr, {T("abc"), I(std::numeric_limits<int64_t>::min()),
                                     I(std::numeric_limits<int64_t>::max())}),
            "abc");
  EXPECT_EQ(Call(Function::kSplitPart, {T("a.b"), T("."), I(3)}), "");
  EXPECT_EQ(Call(Function::kRegexFound, {T("ab"), T("(")}), "error BAD_REGEX");
  EXPECT_EQ(Call(Function::kRegexExtract, {T("k=v"), T("k=(.)")}), "v");
  EXPECT_EQ(Call(Function::kRegexReplace, {T("aba"), T("a"), T("<\\0>")}), "<a>b<a>");
  EXPECT_EQ(Call(Function::kFromHex, {T("0g")}), "error DECODE");
  EXPECT_EQ(Call(Function::kCrc32c, {T("123456789")}), "3808858755");  // check value from RFC 3720
}

TEST(EvaluateTest, LikeMatchesAsTheNaiveMatcherDoes) {
  // A second, recursive matcher is the oracle, for all short texts and patterns of a small
  // alphabet.
  struct Oracle {
    static bool Matches(std::string_view text, std::string_view pattern) {
      if (pattern.empty()) return text.empty();
      if (pattern[0] == '%') {
        return Matches(text, pattern.substr(1)) ||
               (!text.empty() && Matches(text.substr(1), pattern));
      }
      bool one = !text.empty() && (pattern[0] == '_' || pattern[0] == text[0]);
      return one && Matches(text.substr(1), pattern.substr(1));
    }
  };
  constexpr std::string_view kLetters = "ab%_";
  for (int t = 0; t < 256; ++t) {
    for (int p = 0; p < 1024; ++p) {
      std::string text, pattern;
      for (int i = 0; i < 4; ++i) text.push_back("aab_"[t >> (2 * i) & 3]);
      for (int i = 0; i < 5; ++i)
        pattern.push_back(kLetters[static_cast<size_t>(p >> (2 * i) & 3)]);
      ASSERT_EQ(LikeMatches(text, pattern, false), Oracle::Matches(text, pattern))
          << text << " LIKE " << pattern;
    }
  }
}

class Place final : public SlotPlaces {
 public:
  std::string PlaceOf(uint32_t slot) const override { return "in slot " + std::to_string(slot); }
};

TEST(EvaluateTest, ErrorsSayWhereTheValueCameFrom) {
  auto evaluator = Evaluator::Prepare(Expression::Cast(ValueType::kInt64, Expression::Slot(1)));
  ASSERT_TRUE(evaluator.ok());
  Place place;
  const Value* result = nullptr;
  Status status = (*evaluator)->Evaluate({Value(), Value::Bytes("abc")}, &place, &result);
  EXPECT_EQ(ProgramErrorCode(status), "DECODE");
  EXPECT_NE(MessageOf(status).find("3 bytes are not an INT64 ('abc') in slot 1"),
            std::string_view::npos)
      << status;
}

TEST(EvaluateTest, EncodingReadsBackAndRejectsDamage) {
  Expression expression = Expression::Call(
      Function::kAnd, {Expression::Call(Function::kRegexFound, {Expression::Slot(2), L(T("^a"))}),
                       Expression::Cast(ValueType::kBool, Expression::Slot(0), true)});
  std::string bytes;
  expression.Encode(&bytes);
  Reader reader(bytes);
  EXPECT_EQ(Expression::Decode(&reader), expression);
  EXPECT_TRUE(reader.AtEnd());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      Reader damaged_reader(damaged);
      Expression decoded = Expression::Decode(&damaged_reader);
      if (damaged_reader.AtEnd()) (void)Evaluator::Prepare(decoded);
    }
  }
}

// ARRAY_TRANSFORM([1, 2], x -> x * 10 + offset), evaluated directly and after encoding.
TEST(EvaluateTest, LambdasHaveVariables) {
  Expression product = Expression::Call(Function::kMultiply, {Expression::Variable(0), L(I(10))});
  Expression body = Expression::Call(Function::kAdd, {product, Expression::Variable(1)});
  Expression list = L(Value::Array({I(1), I(2)}));
  Expression call = Expression::Call(Function::kArrayTransform, {list, body});
  std::string encoded;
  call.Encode(&encoded);
  Reader reader(encoded);
  Expression decoded = Expression::Decode(&reader);
  ASSERT_TRUE(reader.AtEnd());
  EXPECT_EQ(decoded, call);
  auto result = EvaluateConstant(decoded);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Print(), "[10, 21]");
  // A variable without an enclosing call that defines it comes from a damaged program.
  EXPECT_FALSE(EvaluateConstant(Expression::Variable(0)).ok());
  call.args[1] = Expression::Variable(2);
  EXPECT_FALSE(EvaluateConstant(call).ok());
}

TEST(EvaluateTest, NumbersOfFunctionsStay) {
  // Processes of different versions exchange these numbers in programs.
  EXPECT_EQ(static_cast<int>(Function::kMapValues), 114);
  EXPECT_EQ(static_cast<int>(Function::kSafe), 130);
  EXPECT_EQ(static_cast<int>(Function::kToFloat32), 241);
}

TEST(EvaluateTest, DepthIsBounded) {
  Expression deep = L(Value::Bool(true));
  for (int i = 0; i < 500; ++i) deep = Expression::Call(Function::kNot, {std::move(deep)});
  EXPECT_EQ(ProgramErrorCode(Evaluator::Prepare(deep).status()), "TOO_DEEP");
  std::string bytes;
  deep.Encode(&bytes);
  Reader reader(bytes);
  Expression::Decode(&reader);
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace sippar::engine
