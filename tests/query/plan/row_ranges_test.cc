// Row ranges out of predicates: for random predicates no row that satisfies one is lost, and what
// is called exact holds no other row.
// SPDX-License-Identifier: Apache-2.0
#include "query/plan/row_ranges.h"

#include <gtest/gtest.h>

#include <atomic>

#include "engine/base/random.h"
#include "engine/program/evaluate.h"

namespace sippar::query {
namespace {

using engine::Expression;
using engine::Function;
using engine::Random;
using engine::SlotDef;
using engine::Value;

const std::vector<SlotDef> kSlots = {{SlotDef::kRow, 0}, {SlotDef::kNewest, 0}};

std::string RandomKey(Random* random) {
  std::string key;
  static constexpr std::string_view kLetters("ab%_\xff\0", 6);
  for (uint64_t n = random->Uniform(4); n > 0; --n) {
    key.push_back(kLetters[random->Uniform(kLetters.size())]);
  }
  return key;
}

Expression Text(const std::string& text) { return Expression::Literal(Value::Text(text)); }

Expression RandomTest(Random* random, int depth) {
  static constexpr Function kCompares[] = {
      Function::kEqual,   Function::kNotEqual,     Function::kLess,       Function::kLessEqual,
      Function::kGreater, Function::kGreaterEqual, Function::kStartsWith, Function::kLike};
  static const char* const kRegexes[] = {"^a", "^ab|b", "a$", "^a+b", "^(?i)a", "^[ab]", "^ab?"};
  switch (random->Uniform(depth > 0 ? 9 : 5)) {
    case 0:
    case 1:
      return Expression::Call(kCompares[random->Uniform(8)],
                              {Expression::Slot(0), Text(RandomKey(random))});
    case 2:
      return Expression::Call(kCompares[random->Uniform(6)],
                              {Text(RandomKey(random)), Expression::Slot(0)});
    case 3:
      return Expression::Call(Function::kRegexFound,
                              {Expression::Slot(0), Text(kRegexes[random->Uniform(7)])});
    case 4: {
      std::vector<Expression> args = {Expression::Slot(0)};
      for (uint64_t n = 1 + random->Uniform(3); n > 0; --n) {
        args.push_back(random->OneIn(8) ? Expression::Literal(Value::Null())
                                        : Text(RandomKey(random)));
      }
      return Expression::Call(Function::kIn, std::move(args));
    }
    case 5:
      return Expression::Call(Function::kNot, {RandomTest(random, depth - 1)});
    case 6:  // about another column, sometimes NULL
      return Expression::Call(Function::kEqual, {Expression::Slot(1), Text("x")});
    default:
      return Expression::Call(random->OneIn(2) ? Function::kAnd : Function::kOr,
                              {RandomTest(random, depth - 1), RandomTest(random, depth - 1)});
  }
}

bool IsTrue(const Expression& test, const std::string& row, const Value& other) {
  auto evaluator = engine::Evaluator::Prepare(test);
  EXPECT_TRUE(evaluator.ok());
  bool result = false;
  EXPECT_TRUE((*evaluator)->EvaluateTest({Value::Text(row), other}, nullptr, &result).ok());
  return result;
}

TEST(RowRangesTest, NoSatisfyingRowIsLost) {
  Random random(7);
  for (int i = 0; i < 4000; ++i) {
    Expression test = RandomTest(&random, 4);
    engine::StopBudget budget;
    RowRanges ranges = *RangesOf(test, kSlots, &budget);
    std::optional<Expression> rest = test;
    engine::RowSet rows = *ExtractRows(kSlots, &rest, &budget);
    for (int k = 0; k < 40; ++k) {
      std::string row = RandomKey(&random);
      if (row.empty()) continue;  // no row key is empty
      Value other = k % 3 == 0 ? Value::Null() : Value::Text(k % 3 == 1 ? "x" : "y");
      bool truth = IsTrue(test, row, other);
      if (truth) ASSERT_TRUE(ranges.rows.Contains(row)) << test.Print() << " loses " << row;
      if (ranges.exact) {
        ASSERT_EQ(ranges.rows.Contains(row), truth) << test.Print() << " on " << row;
      }
      bool extracted = rows.Contains(row) && (!rest || IsTrue(*rest, row, other));
      ASSERT_EQ(extracted, truth) << test.Print() << " on " << row;
    }
  }
}

TEST(RowRangesTest, F_Q4_ATestThatNamesRowsIsTrueForNoOthersAndNoOtherTestBesideItMatters) {
  Random random(11);
  int naming = 0;
  for (int i = 0; i < 4000; ++i) {
    Expression test = RandomTest(&random, 3);
    engine::StopBudget budget;
    NamedRows named = *RowsNamed(test, kSlots, &budget);
    Expression beside = Expression::Call(
        Function::kAnd,
        {test, Expression::Call(Function::kGreaterEqual, {Expression::Slot(0), Text("")})});
    EXPECT_EQ(*RowsNamed(beside, kSlots, &budget), named) << test.Print();
    if (!named) continue;
    ++naming;
    for (int k = 0; k < 40; ++k) {
      std::string row = RandomKey(&random);
      if (row.empty() || !IsTrue(test, row, Value::Text("x"))) continue;
      ASSERT_TRUE(named->contains(row)) << test.Print() << " on " << row;
    }
  }
  EXPECT_GT(naming, 200);
}

TEST(RowRangesTest, F_Q5_ExtractedRowsNeverHoldOnlyTheEmptyKey) {
  Random random(13);
  for (int i = 0; i < 4000; ++i) {
    std::optional<Expression> where = RandomTest(&random, 4);
    engine::StopBudget budget;
    engine::RowSet rows = *ExtractRows(kSlots, &where, &budget);
    for (const engine::RowRange& range : rows.ranges()) {
      EXPECT_FALSE(range.start.empty() && range.IsSingle());
    }
  }
}

TEST(RowRangesTest, ALongTestEndsWhenItsCallerWantsNoMore) {
  std::atomic<bool> cancel{true};
  engine::StopSignal stop{&cancel};
  std::vector<Expression> equal, keys = {Expression::Slot(0)};
  for (int i = 0; i < 100'000; ++i) {
    keys.push_back(Text(std::to_string(i)));
    equal.push_back(Expression::Call(Function::kEqual, {Expression::Slot(0), keys.back()}));
  }
  for (const Expression& test :
       {Expression::Call(Function::kOr, equal), Expression::Call(Function::kAnd, equal),
        Expression::Call(Function::kIn, keys)}) {
    engine::StopBudget budget(&stop);
    EXPECT_EQ(RangesOf(test, kSlots, &budget).status().code(), StatusCode::kCancelled);
    EXPECT_EQ(RowsNamed(test, kSlots, &budget).status().code(), StatusCode::kCancelled);
    std::optional<Expression> where = test;
    EXPECT_EQ(ExtractRows(kSlots, &where, &budget).status().code(), StatusCode::kCancelled);
  }
}

TEST(RowRangesTest, TimeTestsBecomeARange) {
  const std::vector<SlotDef> slots = {{SlotDef::kTimestamp, 0}};
  auto test = [](Function function, int64_t micros) {
    return Expression::Call(function,
                            {Expression::Slot(0), Expression::Literal(Value::Int64(micros))});
  };
  for (Function function : {Function::kEqual, Function::kLess, Function::kLessEqual,
                            Function::kGreater, Function::kGreaterEqual, Function::kNotEqual}) {
    std::optional<Expression> where = test(function, 5);
    engine::TimeRange time;
    ExtractTime(slots, &time, &where);
    for (int64_t t = 3; t < 8; ++t) {
      auto truth = engine::EvaluateConstant(Expression::Call(
          function, {Expression::Literal(Value::Int64(t)), Expression::Literal(Value::Int64(5))}));
      bool kept = time.Contains(t) && (!where || (t != 5));
      EXPECT_EQ(kept, truth->is_true()) << static_cast<int>(function) << " " << t;
    }
  }
}

}  // namespace
}  // namespace sippar::query
