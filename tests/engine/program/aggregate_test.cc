// Aggregates: merging partial states gives what one state gives.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/aggregate.h"

#include <gtest/gtest.h>

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
  for (int i = 0; i < 1000; ++i) {  // one value is held, however many were
    EXPECT_TRUE(greatest->Add(Value::Bytes(std::string(1 << 19, static_cast<char>(i % 100)))).ok());
  }
}

// The bytes are in the items of the value, or in items of those.
TEST(AggregateTest, NestedValuesCountWhole) {
  const Value list = Value::Array({Value::Bytes(std::string(40 << 20, 'x'))});
  auto distinct = Aggregate::New(Def(AggregateDef::kCountDistinct), &memory);
  EXPECT_EQ(distinct->Add(Value::Map({Value::Text("a"), list})), OkStatus());
  EXPECT_EQ(distinct->Add(Value::Map({Value::Text("b"), list})).code(),
            StatusCode::kResourceExhausted);
}

TEST(AggregateTest, MergedPartsEqualTheWhole) {
  for (uint8_t kind = 0; kind <= AggregateDef::kApproxCountDistinct; ++kind) {
    AggregateDef def = Def(static_cast<AggregateDef::Kind>(kind));
    Random random(kind);
    for (int round = 0; round < 50; ++round) {
      auto whole = Aggregate::New(def, &memory);
      auto merged = Aggregate::New(def, &memory);
      for (uint64_t part = 0; part < 4; ++part) {
        auto state = Aggregate::New(def, &memory);
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
  EXPECT_EQ(ProgramErrorCode(sum->Add(big)), "OVERFLOW");
  ASSERT_TRUE(average->Add(big).ok());
  ASSERT_TRUE(average->Add(big).ok());
  EXPECT_DOUBLE_EQ(average->Finish().real(), static_cast<double>(INT64_MAX));
  auto mean = Aggregate::New(Def(AggregateDef::kAvg), &memory);
  ASSERT_TRUE(mean->Add(Value::Duration(INT64_MAX)).ok());
  EXPECT_EQ(mean->Finish(), Value::Duration(INT64_MAX));
  EXPECT_EQ(ProgramErrorCode(mean->Add(Value::Duration(INT64_MAX))), "OVERFLOW");
  EXPECT_EQ(ProgramErrorCode(sum->Add(Value::Text("1"))), "TYPE");
}

TEST(AggregateTest, SketchIsWithinItsError) {
  auto sketch = Aggregate::New(Def(AggregateDef::kApproxCountDistinct), &memory);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(sketch->Add(Value::Text("row" + std::to_string(i))).ok());
    if (i == 2) EXPECT_EQ(sketch->Finish(), Value::Int64(3));
  }
  EXPECT_NEAR(static_cast<double>(sketch->Finish().integer()), 100'000, 5'000);
}

TEST(AggregateTest, ForeignPartialsAreRefused) {
  for (uint8_t kind = 0; kind <= AggregateDef::kApproxCountDistinct; ++kind) {
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
