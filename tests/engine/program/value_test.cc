// Values: order, encoding, printing.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/base/random.h"

namespace sippar::engine {
namespace {

Value RandomValue(Random* random, int depth) {
  switch (random->Uniform(depth > 0 ? 12 : 9)) {
    case 0:
      return Value::Null();
    case 1:
      return Value::Bool(random->OneIn(2));
    case 2:
      return Value::Int64(static_cast<int64_t>(random->Next() >> random->Uniform(64)));
    case 3:
      return Value::Float64(static_cast<double>(random->Uniform(1000)) / 8 - 60);
    case 4:
      return Value::Timestamp(static_cast<int64_t>(random->Next()));
    case 5:
      return Value::Duration(static_cast<int64_t>(random->Uniform(1'000'000)));
    case 6:
    case 7: {
      std::string bytes;
      for (uint64_t n = random->Uniform(12); n > 0; --n) {
        bytes.push_back(static_cast<char>(random->Next()));
      }
      return random->OneIn(2) ? Value::Bytes(bytes) : Value::Text(bytes);
    }
    case 8:
      return Value::Date(static_cast<int64_t>(random->Uniform(3'000'000)) - 700'000);
    default: {
      Value::Items items;
      for (uint64_t n = random->Uniform(4) * 2; n > 0; --n) {
        items.push_back(RandomValue(random, depth - 1));
      }
      return random->OneIn(2) ? Value::Array(items) : Value::Map(items);
    }
  }
}

TEST(ValueTest, EncodingReadsBack) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    Value value = RandomValue(&random, 3);
    std::string bytes;
    value.Encode(&bytes);
    Reader reader(bytes);
    EXPECT_EQ(Value::Decode(&reader), value) << value.Print();
    EXPECT_TRUE(reader.AtEnd());
  }
}

// A day outside the years 1 to 9999 could not be shown.
TEST(ValueTest, DaysOutsideOfTheYearsAreDamage) {
  for (int64_t days :
       {int64_t{-719'163}, int64_t{2'932'897}, std::numeric_limits<int64_t>::min()}) {
    std::string bytes(1, static_cast<char>(ValueType::kDate));
    PutSigned(&bytes, days);
    Reader reader(bytes);
    Value::Decode(&reader);
    EXPECT_FALSE(reader.ok()) << days;
  }
}

TEST(ValueTest, DamagedBytesNeverCrash) {
  Random random(2);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes;
    RandomValue(&random, 3).Encode(&bytes);
    bytes[random.Uniform(bytes.size())] ^= static_cast<char>(1 + random.Uniform(255));
    Reader reader(bytes);
    Value::Decode(&reader).Print();
  }
}

TEST(ValueTest, OrderIsTotal) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    Value a = RandomValue(&random, 2), b = RandomValue(&random, 2), c = RandomValue(&random, 2);
    EXPECT_EQ(CompareValues(a, b), -CompareValues(b, a));
    if (CompareValues(a, b) <= 0 && CompareValues(b, c) <= 0) EXPECT_LE(CompareValues(a, c), 0);
    EXPECT_EQ(CompareValues(a, a), 0);
  }
}

TEST(ValueTest, NumbersCompareExactly) {
  constexpr int64_t kBig = (int64_t{1} << 53) + 1;  // no double has this value
  EXPECT_LT(CompareValues(Value::Float64(9007199254740992.0), Value::Int64(kBig)), 0);
  EXPECT_EQ(CompareValues(Value::Float64(3), Value::Int64(3)), 0);
  EXPECT_LT(CompareValues(Value::Int64(std::numeric_limits<int64_t>::max()), Value::Float64(1e19)),
            0);
  EXPECT_GT(CompareValues(Value::Int64(std::numeric_limits<int64_t>::min()), Value::Float64(-1e19)),
            0);
  EXPECT_EQ(CompareValues(Value::Text("a"), Value::Bytes("a")), 0);
  EXPECT_LT(CompareValues(Value::Text("a\x7f"), Value::Text("a\x80")), 0);
}

TEST(ValueTest, F_Q1_KeysOfEqualityAreEqualForExactlyTheValuesThatAreEqual) {
  Random random(29);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Value> values = {Value::Float64(0.0),
                               Value::Float64(-0.0),
                               Value::Float64(kNan),
                               Value::Float64(-kNan),
                               Value::Float64(std::numeric_limits<double>::infinity()),
                               Value::Float64(9223372036854775808.0),
                               Value::Float64(-9223372036854775808.0),
                               Value::Int64(std::numeric_limits<int64_t>::min()),
                               Value::Int64(std::numeric_limits<int64_t>::max()),
                               Value::Int64((int64_t{1} << 53) + 1),
                               Value::Float64(9007199254740992.0),
                               Value::Int64(int64_t{1} << 53),
                               Value::Timestamp(0),
                               Value::Duration(0),
                               Value::Date(0),
                               Value::Bool(false),
                               Value::Text(""),
                               Value::Bytes(""),
                               Value::Null(),
                               Value::Array({Value::Text("a"), Value::Int64(1)}),
                               Value::Array({Value::Bytes("a"), Value::Float64(1)}),
                               Value::Array({Value::Bytes("a")}),
                               Value::Array({})};
  for (int i = 0; i < 300; ++i) values.push_back(RandomValue(&random, 2));
  for (const Value& a : values) {
    for (const Value& b : values) {
      std::string key_a, key_b;
      AppendEqualityKey(a, &key_a);
      AppendEqualityKey(b, &key_b);
      EXPECT_EQ(CompareValues(a, b) == 0, key_a == key_b) << a.Print() << " " << b.Print();
    }
  }
}

TEST(ValueTest, MemoryBytesCountWhatItemsHold) {
  const Value text = Value::Text(std::string(1000, 'x'));
  EXPECT_EQ(text.MemoryBytes(), sizeof(Value) + 1000);
  const Value list = Value::Array({text, text});
  EXPECT_EQ(list.MemoryBytes(), 3 * sizeof(Value) + 2000);
  EXPECT_EQ(Value::Map({Value::Text("k"), list}).MemoryBytes(), 5 * sizeof(Value) + 2001);
}

TEST(ValueTest, Prints) {
  EXPECT_EQ(Value::Float64(8.5).Print(), "8.5");
  EXPECT_EQ(Value::Float64(30).Print(), "30");
  EXPECT_EQ(Value::Bytes(std::string("\0\xff\x1b[2J", 6)).Print(), "\\x00\\xff\\x1b[2J");
  EXPECT_EQ(Value::Text("h\u00e4").Print(), "h\u00e4");
  // A C1 control character, which would control the terminal.
  EXPECT_EQ(Value::Text("\xc2\x9b").Print(), "\\xc2\\x9b");
  EXPECT_EQ(Value::Map({Value::Text(""), Value::Int64(1)}).Print(), "{\"\": 1}");
  EXPECT_EQ(Value::Array({Value::Struct({Value::Int64(6), Value::Text("x")})}).Print(), "[(6, x)]");
  EXPECT_EQ(PrintTimestamp(5), "1970-01-01T00:00:00.000005Z");
  EXPECT_EQ(PrintTimestamp(-1), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(Value::Date(-719'162).Print(), "0001-01-01");
  EXPECT_EQ(Value::Date(2'932'896).Print(), "9999-12-31");
  EXPECT_EQ(PrintDuration(5'400'000'000), "1h30m");
  EXPECT_EQ(PrintDuration(std::numeric_limits<int64_t>::min()).front(), '-');
}

}  // namespace
}  // namespace sippar::engine
