// Row sets compared with a brute-force membership test.
// SPDX-License-Identifier: Apache-2.0
#include "engine/model/row_set.h"

#include <gtest/gtest.h>

#include "engine/base/random.h"

namespace sippar::engine {
namespace {

std::vector<std::string> AllShortKeys() {
  std::vector<std::string> keys;
  for (char a : {'\0', 'a', 'b', '\xff'}) {
    keys.push_back(std::string(1, a));
    for (char b : {'\0', 'a', 'b', '\xff'}) keys.push_back({a, b});
  }
  return keys;
}

RowSet RandomSet(Random* random, const std::vector<std::string>& keys) {
  RowSet set;
  for (uint64_t n = random->Uniform(4); n > 0; --n) {
    std::string a = keys[random->Uniform(keys.size())];
    std::string b = keys[random->Uniform(keys.size())];
    switch (random->Uniform(4)) {
      case 0:
        set.Add(RowRange::Single(a));
        break;
      case 1:
        set.Add(RowRange::Prefix(a));
        break;
      case 2:
        set.Add({a, ""});
        break;
      default:
        set.Add({std::min(a, b), std::max(a, b)});
    }
  }
  return set;
}

TEST(RowSet, AlgebraAgreesWithMembership) {
  std::vector<std::string> keys = AllShortKeys();
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    RowSet a = RandomSet(&random, keys);
    RowSet b = RandomSet(&random, keys);
    RowSet both = a.Intersection(b);
    RowSet either = a.Union(b);
    RowSet rest = a.Complement();
    for (const std::string& key : keys) {
      EXPECT_EQ(both.Contains(key), a.Contains(key) && b.Contains(key));
      EXPECT_EQ(either.Contains(key), a.Contains(key) || b.Contains(key));
      EXPECT_EQ(rest.Contains(key), !a.Contains(key));
    }
    for (size_t i = 1; i < either.ranges().size(); ++i) {
      EXPECT_LT(either.ranges()[i - 1].limit, either.ranges()[i].start);
    }
  }
}

TEST(RowSet, PrefixLimitOfOnesIsTheEnd) {
  EXPECT_EQ(PrefixLimit("\xff\xff"), "");
  EXPECT_EQ(PrefixLimit("a\xff"), "b");
  EXPECT_TRUE(RowRange::Prefix("\xff").Contains("\xff\xff"));
}

TEST(RowSet, PrintsForPeople) {
  EXPECT_EQ(RowSet::All().Print(), "all rows");
  EXPECT_EQ(RowSet().Print(), "no row");
  RowSet set;
  set.Add(RowRange::Single("k"));
  set.Add({"x", ""});
  EXPECT_EQ(set.Print(), R"(="k" ["x",))");
}

}  // namespace
}  // namespace sippar::engine
