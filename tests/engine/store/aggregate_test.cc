// Aggregate families: inputs are added to one accumulator per column and timestamp, across flushes,
// compactions and crashes; other writes are rejected.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/model/hyper_log_log.h"
#include "tests/engine/store/crashing_store.h"

namespace sippar::engine {
namespace {

class AggregateTest : public testing::Test, protected CrashingStore<ManualClock> {
 protected:
  AggregateTest() : CrashingStore(3, 1'000'000'000) {
    TableSchema schema;
    schema.name = "t";
    schema.families = {
        {"sum", FamilyType::kSum, {}},          {"min", FamilyType::kMin, {}},
        {"max", FamilyType::kMax, {}},          {"ints", FamilyType::kUniqueInts, {}},
        {"uniq", FamilyType::kUniqueBytes, {}}, {"f", FamilyType::kBytes, {}}};
    EXPECT_TRUE(store_->CreateTable(schema, {}).ok());
  }
  Status Apply(const RowMutation& mutation) { return store_->Apply("t", {&mutation}).front(); }
  // The value of column q at `time_us`; "" if there is no cell.
  std::string ValueAt(const std::string& family, int64_t time_us) {
    ReadSpec read;
    read.columns = {ColumnPattern::Exact(family, "q")};
    auto cells = (*store_->FindTablet("t", "r"))->Read(read);
    for (; (*cells)->Valid(); (*cells)->Next()) {
      if ((*cells)->cell().timestamp_us == time_us) return std::string((*cells)->cell().value);
    }
    return "";
  }
  int64_t IntAt(const std::string& family, int64_t time_us) {
    auto value = DecodeInt64(ValueAt(family, time_us));
    return value.ok() ? *value : -999'999;
  }
  uint64_t CountAt(const std::string& family, int64_t time_us) {
    HyperLogLog sketch;
    EXPECT_TRUE(sketch.Merge(ValueAt(family, time_us)));
    return sketch.Estimate();
  }
  RowMutation Add(const std::string& family, int64_t input, int64_t time_us = 10) {
    return RowMutation("r").Add(family, "q", EncodeInt64(input), time_us);
  }
};

TEST_F(AggregateTest, InputsOfOneCellComeTogetherAndOthersStayApart) {
  for (const char* family : {"sum", "min", "max"}) {
    for (int64_t input : {5, -7, 3}) ASSERT_TRUE(Apply(Add(family, input)).ok());
    ASSERT_TRUE(Apply(Add(family, 100, 20)).ok());
  }
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(IntAt("sum", 10), 1);
    EXPECT_EQ(IntAt("min", 10), -7);
    EXPECT_EQ(IntAt("max", 10), 5);
    EXPECT_EQ(IntAt("sum", 20), 100);
    if (round == 0) ASSERT_TRUE(store_->Flush("t").ok());
    if (round == 1) Crash();
  }
  ASSERT_TRUE(Apply(Add("sum", INT64_MAX)).ok());
  EXPECT_EQ(IntAt("sum", 10), INT64_MIN);  // the sum wraps around
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  EXPECT_EQ(IntAt("sum", 10), INT64_MIN);
}

TEST_F(AggregateTest, EntriesOfOneMutationApplyInOrder) {
  RowMutation mutation("r");
  mutation.Add("sum", "q", EncodeInt64(1), 10)
      .Add("sum", "q", EncodeInt64(2), 10)
      .Add("sum", "q", EncodeInt64(40), 11);
  ASSERT_TRUE(Apply(mutation).ok());
  EXPECT_EQ(IntAt("sum", 10), 3);
  EXPECT_EQ(IntAt("sum", 11), 40);
  RowMutation anew("r");
  anew.Add("sum", "q", EncodeInt64(100), 10)
      .DeleteColumn("sum", "q", {10, 11})
      .Add("sum", "q", EncodeInt64(5), 10)
      .Add("sum", "q", EncodeInt64(5), 11)
      .Add("sum", "q", EncodeInt64(1), 10);
  ASSERT_TRUE(Apply(anew).ok());
  EXPECT_EQ(IntAt("sum", 10), 6);
  EXPECT_EQ(IntAt("sum", 11), 45);
  RowMutation after_all("r");
  after_all.DeleteRow().Add("sum", "q", EncodeInt64(9), 11);
  ASSERT_TRUE(Apply(after_all).ok());
  EXPECT_EQ(IntAt("sum", 11), 9);
  EXPECT_EQ(ValueAt("sum", 10), "");
}

TEST_F(AggregateTest, MergingTheCellsOfTwoPartsIsAddingAll) {
  ASSERT_TRUE(Apply(Add("sum", 5, 10)).ok());
  ASSERT_TRUE(Apply(Add("sum", 6, 20)).ok());
  ASSERT_TRUE(Apply(RowMutation("r").Merge("sum", "q", ValueAt("sum", 20), 10)).ok());
  EXPECT_EQ(IntAt("sum", 10), 11);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(Apply(Add("ints", i, i < 200 ? 10 : 20)).ok());
  ASSERT_TRUE(Apply(RowMutation("r").Merge("ints", "q", ValueAt("ints", 20), 10)).ok());
  EXPECT_NEAR(static_cast<double>(CountAt("ints", 10)), 300, 8);
}

// The standard error of 4096 registers is 1.6 %; an error three times as large is very rare.
TEST_F(AggregateTest, DistinctCountsAreAsCloseAsPromised) {
  for (uint64_t wanted : {0U, 1U, 10U, 1'000U, 1'400U, 10'000U, 100'000U}) {
    HyperLogLog sketch;
    for (uint64_t i = 0; i < 2 * wanted; ++i) sketch.Add(fmt::format("{}/{}", wanted, i % wanted));
    HyperLogLog read;
    ASSERT_TRUE(read.Merge(sketch.Encode()));
    EXPECT_EQ(read.Encode(), sketch.Encode());
    EXPECT_LE(sketch.Encode().size(), std::min<size_t>(4097, 1 + 3 * wanted));
    double error = std::abs(static_cast<double>(read.Estimate()) - static_cast<double>(wanted));
    EXPECT_LE(error, 0.05 * static_cast<double>(wanted)) << wanted;
  }
}

TEST_F(AggregateTest, NothingElseWritesThem) {
  auto refused = [this](const RowMutation& mutation) {
    Status status = Apply(mutation);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  };
  refused(RowMutation("r").Set("sum", "q", EncodeInt64(1), 10));
  refused(RowMutation("r").Increment("sum", "q", 1));
  refused(RowMutation("r").Append("uniq", "q", "x"));
  refused(RowMutation("r").Add("f", "q", EncodeInt64(1), 10));
  refused(RowMutation("r").Merge("f", "q", EncodeInt64(1), 10));
  refused(RowMutation("r").Add("sum", "q", "short", 10));
  refused(RowMutation("r").Add("ints", "q", "short", 10));
  refused(RowMutation("r").Merge("uniq", "q", "no state", 10));
  refused(RowMutation("r").Merge("uniq", "q", "", 10));
  refused(RowMutation("r").Set("f", "q", "v", 10).Add("sum", "q", "short", 10));
  EXPECT_EQ(ValueAt("f", 10), "");
  EXPECT_TRUE(Apply(RowMutation("r").Add("uniq", "q", "short", 10)).ok());
}

TEST_F(AggregateTest, ARepeatedAdditionIsDoneOnce) {
  RowMutation mutation = Add("sum", 5);
  mutation.request = {77, 1, 0};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Apply(mutation).ok());
  Crash();
  ASSERT_TRUE(Apply(mutation).ok());
  EXPECT_EQ(IntAt("sum", 10), 5);
}

}  // namespace
}  // namespace sippar::engine
