// Aggregates: merging partial states gives what one state gives. SPDX-License-Identifier:
// Apache-2.0
#include "engine/program/aggregate.h"

#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

AggregateDef Def(AggregateDef::Kind kind) {
  AggregateDef def;
  def.kind = kind;
  return def;
}

TEST(AggregateTest, MergedPartsEqualTheWhole) {
  for (uint8_t kind = 0; kind <= AggregateDef::kApproxCountDistinct; ++kind) {
    AggregateDef def = Def(static_cast<AggregateDef::Kind>(kind));
    Random random(kind);
    for (int round = 0; round < 50; ++round) {
      auto whole = Aggregate::New(def);
      auto merged = Aggregate::New(def);
      for (uint64_t part = 0; part < 4; ++part) {
        auto state = Aggregate::New(def);
        for (uint64_t n = random.Uniform(20); n > 0; --n) {
          Value value = random.OneIn(4) ? Value::Null()
                                        : Value::Int64(static_cast<int64_t>(random.Uniform(30)));
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
  EXPECT_EQ(Aggregate::New(Def(AggregateDef::kCount))->Finish(), Value::Int64(0));
  EXPECT_TRUE(Aggregate::New(Def(AggregateDef::kSum))->Finish().is_null());
  EXPECT_TRUE(Aggregate::New(Def(AggregateDef::kAvg))->Finish().is_null());
  EXPECT_EQ(Aggregate::New(Def(AggregateDef::kArrayAgg))->Finish(), Value::Array({}));
}

TEST(AggregateTest, SumsOverflowAveragesDoNot) {
  auto sum = Aggregate::New(Def(AggregateDef::kSum));
  auto average = Aggregate::New(Def(AggregateDef::kAvg));
  Value big = Value::Int64(INT64_MAX);
  ASSERT_TRUE(sum->Add(big).ok());
  EXPECT_EQ(ProgramErrorCode(sum->Add(big)), "OVERFLOW");
  ASSERT_TRUE(average->Add(big).ok());
  ASSERT_TRUE(average->Add(big).ok());
  EXPECT_DOUBLE_EQ(average->Finish().real(), static_cast<double>(INT64_MAX));
  EXPECT_EQ(ProgramErrorCode(sum->Add(Value::Text("1"))), "TYPE");
}

TEST(AggregateTest, SketchIsWithinItsError) {
  auto sketch = Aggregate::New(Def(AggregateDef::kApproxCountDistinct));
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(sketch->Add(Value::Text("row" + std::to_string(i))).ok());
    if (i == 2) EXPECT_EQ(sketch->Finish(), Value::Int64(3));
  }
  EXPECT_NEAR(static_cast<double>(sketch->Finish().integer()), 100'000, 5'000);
}

TEST(AggregateTest, ForeignPartialsAreRefused) {
  for (uint8_t kind = 0; kind <= AggregateDef::kApproxCountDistinct; ++kind) {
    auto state = Aggregate::New(Def(static_cast<AggregateDef::Kind>(kind)));
    (void)state->Merge(Value::Bytes("junk"));
    (void)state->Merge(Value::Struct({Value::Int64(1)}));
    state->Finish();
  }
  EXPECT_FALSE(
      Aggregate::New(Def(AggregateDef::kApproxCountDistinct))->Merge(Value::Bytes("junk")).ok());
}

}  // namespace
}  // namespace sippar::engine
