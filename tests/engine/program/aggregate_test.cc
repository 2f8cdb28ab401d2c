// Aggregates: merging partial states gives the same result as a single state.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/aggregate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/random.h"
#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

GroupMemory memory;

AggregateDef Def(AggregateDef::Kind kind) {
  AggregateDef def;
  def.kind = kind;
  return def;
}

TEST(AggregateTest, HeldValuesAreBounded) {
  GroupMemory small;
  AggregateDef def = Def(AggregateDef::kArrayAgg);
  def.limit = 1'000'000;
  auto array = Aggregate::New(def, &small);
  Value value = Value::Bytes(std::string(1 << 20, 'x'));
  Status status;
  int added = 0;
  for (; status.ok() && added < 1000; ++added) status = array->Add(value);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_LE(added, 257);
  auto greatest = Aggregate::New(Def(AggregateDef::kMax), &small);
  small.RemoveValue(value);
  small.RemoveValue(value);
  for (int i = 0; i < 1000; ++i) {  // only one value is held, whatever their number
    EXPECT_TRUE(greatest->Add(Value::Bytes(std::string(1 << 19, static_cast<char>(i % 100)))).ok());
  }
}

// The large bytes are nested in items of the value.
TEST(AggregateTest, NestedValuesCountWhole) {
  const Value list = Value::Array({Value::Bytes(std::string(40 << 20, 'x'))});
  auto distinct = Aggregate::New(Def(AggregateDef::kCountDistinct), &memory);
  EXPECT_EQ(distinct->Add(Value::Map({Value::Text("a"), list})), OkStatus());
  EXPECT_EQ(distinct->Add(Value::Map({Value::Text("b"), list})).code(),
            StatusCode::kResourceExhausted);
}

TEST(AggregateTest, MergedPartsEqualTheWhole) {
  for (int kind = 0; kind <= 2 * AggregateDef::kStringAgg + 1; ++kind) {
    AggregateDef def = Def(static_cast<AggregateDef::Kind>(kind / 2));
    def.distinct = kind % 2 == 1;
    def.limit = 40;
    def.separator = "; ";
    Random random(static_cast<uint64_t>(kind));
    for (int round = 0; round < 50; ++round) {
      auto whole = Aggregate::New(def, &memory);
      auto merged = Aggregate::New(def, &memory);
      for (uint64_t part = 0; part < 4; ++part) {
        auto state = Aggregate::New(def, &memory);
        for (uint64_t n = random.Uniform(20); n > 0; --n) {
          Value value = random.OneIn(4) ? Value::Null()
                                        : Value::Int64(static_cast<int64_t>(random.Uniform(30)));
          if (def.kind == AggregateDef::kStringAgg && !value.is_null()) {
            value = Value::Text(value.Print());
          }
          ASSERT_TRUE(whole->Add(value).ok());
          ASSERT_TRUE(state->Add(value).ok());
        }
        std::string bytes;
        state->Partial().Encode(&bytes);
        Reader reader(bytes);
        ASSERT_TRUE(merged->Merge(Value::Decode(&reader)).ok());
      }
      EXPECT_EQ(merged->Finish(), whole->Finish()) << AggregateName(def.kind);
    }
  }
}

TEST(AggregateTest, EmptyGroups) {
  EXPECT_EQ(Aggregate::New(Def(AggregateDef::kCount), &memory)->Finish(), Value::Int64(0));
  EXPECT_TRUE(Aggregate::New(Def(AggregateDef::kSum), &memory)->Finish().is_null());
  EXPECT_TRUE(Aggregate::New(Def(AggregateDef::kAvg), &memory)->Finish().is_null());
  EXPECT_EQ(Aggregate::New(Def(AggregateDef::kArrayAgg), &memory)->Finish(), Value::Array({}));
}

TEST(AggregateTest, SumsOverflowAveragesOfNumbersDoNot) {
  auto sum = Aggregate::New(Def(AggregateDef::kSum), &memory);
  auto average = Aggregate::New(Def(AggregateDef::kAvg), &memory);
  Value big = Value::Int64(INT64_MAX);
  ASSERT_TRUE(sum->Add(big).ok());
  ASSERT_TRUE(sum->Check().ok());
  ASSERT_TRUE(sum->Add(big).ok());
  EXPECT_EQ(ProgramErrorCode(sum->Check()), "OVERFLOW");
  ASSERT_TRUE(average->Add(big).ok());
  ASSERT_TRUE(average->Add(big).ok());
  EXPECT_DOUBLE_EQ(average->Finish().real(), static_cast<double>(INT64_MAX));
  auto mean = Aggregate::New(Def(AggregateDef::kAvg), &memory);
  ASSERT_TRUE(mean->Add(Value::Duration(INT64_MAX)).ok());
  EXPECT_EQ(mean->Finish(), Value::Duration(INT64_MAX));
  ASSERT_TRUE(mean->Add(Value::Duration(INT64_MAX)).ok());
  EXPECT_EQ(mean->Finish(), Value::Duration(INT64_MAX));
  EXPECT_EQ(ProgramErrorCode(sum->Add(Value::Text("1"))), "TYPE");
}

// max + 1 - 1 fits, wherever the tablets are split.
TEST(AggregateTest, OnlyTheWholeSumMayOverflow) {
  const std::vector<Value> values = {Value::Int64(INT64_MAX), Value::Int64(1), Value::Int64(-1),
                                     Value::Int64(INT64_MIN), Value::Int64(-7)};
  for (size_t split = 0; split <= values.size(); ++split) {
    auto merged = Aggregate::New(Def(AggregateDef::kSum), &memory);
    auto left = Aggregate::New(Def(AggregateDef::kSum), &memory);
    auto right = Aggregate::New(Def(AggregateDef::kSum), &memory);
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_TRUE((i < split ? left : right)->Add(values[i]).ok());
    }
    for (const Aggregate* part : {left.get(), right.get()}) {
      std::string bytes;
      part->Partial().Encode(&bytes);
      Reader reader(bytes);
      ASSERT_TRUE(merged->Merge(Value::Decode(&reader)).ok());
    }
    ASSERT_TRUE(merged->Check().ok()) << split;
    EXPECT_EQ(merged->Finish(), Value::Int64(-8)) << split;
  }
}

TEST(AggregateTest, NanIsTheExtremeOfWhatHoldsIt) {
  for (auto kind : {AggregateDef::kMin, AggregateDef::kMax}) {
    for (int nan_at = 0; nan_at < 3; ++nan_at) {
      auto extreme = Aggregate::New(Def(kind), &memory);
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(extreme->Add(Value::Float64(i == nan_at ? std::nan("") : i)).ok());
      }
      EXPECT_TRUE(extreme->Finish().IsNan()) << nan_at;
    }
  }
}

TEST(AggregateTest, SketchIsWithinItsError) {
  auto sketch = Aggregate::New(Def(AggregateDef::kApproxCountDistinct), &memory);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(sketch->Add(Value::Text("row" + std::to_string(i))).ok());
    if (i == 2) EXPECT_EQ(sketch->Finish(), Value::Int64(3));
  }
  EXPECT_NEAR(static_cast<double>(sketch->Finish().integer()), 100'000, 5'000);
}

// Merges 16 parts of 100,000 values each, as for 16 tablets.
TEST(AggregateTest, QuantilesOfManyValuesAreNear) {
  AggregateDef def = Def(AggregateDef::kApproxQuantiles);
  def.limit = 100;
  GroupMemory bounded;
  auto merged = Aggregate::New(def, &bounded);
  constexpr int64_t kParts = 16, kOfPart = 100'000;
  for (int64_t part = 0; part < kParts; ++part) {
    auto state = Aggregate::New(def, &bounded);
    for (int64_t i = 0; i < kOfPart; ++i) {  // 7919 is a prime, so the values come in mixed order
      ASSERT_TRUE(state->Add(Value::Int64((i * 7919 % kOfPart) * kParts + part)).ok());
    }
    std::string bytes;
    state->Partial().Encode(&bytes);
    EXPECT_LT(bytes.size(), 40'000U);
    Reader reader(bytes);
    ASSERT_TRUE(merged->Merge(Value::Decode(&reader)).ok());
  }
  const Value quantiles = merged->Finish();
  ASSERT_EQ(quantiles.items().size(), 101U);
  EXPECT_EQ(quantiles.items().front(), Value::Int64(0));
  EXPECT_EQ(quantiles.items().back(), Value::Int64(kParts * kOfPart - 1));
  for (size_t i = 0; i <= 100; ++i) {
    const double exact = static_cast<double>(kParts * kOfPart) * static_cast<double>(i) / 100;
    EXPECT_NEAR(quantiles.items()[i].AsReal(), exact, kParts * kOfPart * 0.01) << i;
  }
}

TEST(AggregateTest, QuantilesOfFewValuesAreExact) {
  AggregateDef def = Def(AggregateDef::kApproxQuantiles);
  def.limit = 2;
  auto quantiles = Aggregate::New(def, &memory);
  EXPECT_TRUE(quantiles->Finish().is_null());
  for (int64_t i : {1, 10, 4, 1, 5, 1, 6, 9, 8, 7}) {
    ASSERT_TRUE(quantiles->Add(Value::Int64(i)).ok());
    ASSERT_TRUE(quantiles->Add(Value::Null()).ok());
  }
  EXPECT_EQ(quantiles->Finish().Print(), "[1, 5, 10]");  // example from GoogleSQL's reference
}

// Every value that occurs in more than 1 of 1000 rows must be found, whatever the other values.
TEST(AggregateTest, TopOfManyValues) {
  AggregateDef def = Def(AggregateDef::kApproxTop);
  def.limit = 5;
  auto merged = Aggregate::New(def, &memory);
  for (int64_t part = 0; part < 8; ++part) {
    auto state = Aggregate::New(def, &memory);
    for (int64_t i = 0; i < 50'000; ++i) {  // 5 values occur 400 times each in every part
      const bool frequent = i % 125 == 0 || i % 125 == 1 || (i % 125 >= 50 && i % 125 < 53);
      const int64_t value = frequent ? i % 125 : 1000 + part * 50'000 + i;
      ASSERT_TRUE(state->Add(Value::Int64(value)).ok());
    }
    std::string bytes;
    state->Partial().Encode(&bytes);
    Reader reader(bytes);
    ASSERT_TRUE(merged->Merge(Value::Decode(&reader)).ok());
  }
  const Value top = merged->Finish();
  ASSERT_EQ(top.items().size(), 5U);
  for (const Value& entry : top.items()) {
    const Value::Items& parts = entry.items();  // a struct of count (n) and value (v)
    EXPECT_LT(parts[3].integer(), 125);
    EXPECT_LE(parts[1].integer(), 3200);
    EXPECT_GE(parts[1].integer(), 3200 - 400'000 / 1000);
  }
}

TEST(AggregateTest, TopOfUniqueValuesHasSome) {
  AggregateDef def = Def(AggregateDef::kApproxTop);
  def.limit = 3;
  auto top = Aggregate::New(def, &memory);
  for (int64_t i = 0; i < 100'000; ++i) ASSERT_TRUE(top->Add(Value::Int64(i)).ok());
  EXPECT_EQ(top->Finish().items().size(), 3U);
}

TEST(AggregateTest, MemoryOfSketchesIsGivenBack) {
  for (AggregateDef::Kind kind : {AggregateDef::kApproxQuantiles, AggregateDef::kApproxTop}) {
    GroupMemory small;
    AggregateDef def = Def(kind);
    def.limit = 10;
    auto sketch = Aggregate::New(def, &small);
    // 400 MB of text in total, of which only a few values are held.
    const std::string tail(2000, 'x');
    for (int i = 0; i < 200'000; ++i) {
      ASSERT_TRUE(sketch->Add(Value::Text(std::to_string(i) + tail)).ok()) << i;
    }
  }
}

TEST(AggregateTest, ForeignPartialsAreRefused) {
  for (uint8_t kind = 0; kind <= AggregateDef::kStringAgg; ++kind) {
    auto state = Aggregate::New(Def(static_cast<AggregateDef::Kind>(kind)), &memory);
    (void)state->Merge(Value::Bytes("junk"));
    (void)state->Merge(Value::Struct({Value::Int64(1)}));
    state->Finish();
  }
  EXPECT_FALSE(Aggregate::New(Def(AggregateDef::kApproxCountDistinct), &memory)
                   ->Merge(Value::Bytes("junk"))
                   .ok());
}

}  // namespace
}  // namespace sippar::engine
