// Schemas, garbage-collection rules and mutations: validation and encoding.
// SPDX-License-Identifier: Apache-2.0
#include "engine/model/schema.h"
#include "engine/model/schema_change.h"

#include <gtest/gtest.h>

#include "engine/base/limits.h"
#include "engine/model/bytes_regex.h"
#include "engine/model/column_pattern.h"
#include "engine/model/mutation.h"

namespace sippar::engine {
namespace {

TableSchema WebTable() {
  TableSchema schema;
  schema.name = "web";
  schema.families = {
      {"contents", FamilyType::kBytes, GcPolicy::MaxVersions(3)},
      {"anchor", FamilyType::kBytes,
       GcPolicy::Union({GcPolicy::MaxVersions(10), GcPolicy::MaxAge(86'400'000'000)})},
      {"hits", FamilyType::kCounter, {}}};
  LocalityGroupSchema& page = schema.groups.emplace_back();
  page.name = "page";
  page.families = {"contents"};
  schema.options["SPLIT_SIZE"] = "200MiB";
  schema.Normalize();
  return schema;
}

TEST(Schema, ComesBackFromItsBytes) {
  TableSchema schema = WebTable();
  ASSERT_TRUE(schema.Validate().ok());
  auto decoded = TableSchema::Decode(schema.Encode());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, schema);
  EXPECT_EQ(decoded->GroupOf("hits").name, kDefaultGroup);
}

TEST(Schema, RulesThatWereReplacedComeBackFromItsBytes) {
  TableSchema before = WebTable();
  TableSchema after = before;
  const std::string name = after.families[0].name;
  after.families[0].gc = GcPolicy::MaxAge(7);
  NoteEarlierGc(before, 5, &after);
  EXPECT_EQ(after.families[0].earlier, (std::vector<EarlierGc>{{before.FindFamily(name)->gc, 5}}));
  EXPECT_TRUE(after.families[1].earlier.empty());
  EXPECT_EQ(*TableSchema::Decode(after.Encode()), after);
  TableSchema again = after;
  again.families[0].incarnation = 6;  // dropped and created again
  NoteEarlierGc(after, 6, &again);
  EXPECT_TRUE(again.families[0].earlier.empty());
  EXPECT_EQ(*TableSchema::Decode(again.Encode()), again);
}

TEST(Schema, EveryCutOfItsBytesIsRefused) {
  std::string bytes = WebTable().Encode();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(TableSchema::Decode(bytes.substr(0, size)).ok()) << size;
  }
}

// An older program reads the schema: it knows neither the type nor the option.
TEST(Schema, ATextFamilyIsOneOfBytesForAnOlderProgram) {
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"a", FamilyType::kText, {}}, {"b", FamilyType::kBytes, {}}};
  schema.Normalize();
  TableSchema bytes = schema;
  bytes.families[0].type = FamilyType::kBytes;
  bytes.options["TEXT_FAMILIES"] = "a";
  EXPECT_EQ(schema.Encode(), bytes.Encode());
  // It drops the family and makes a counter of that name; the option stays.
  bytes.families[0].type = FamilyType::kCounter;
  auto decoded = TableSchema::Decode(bytes.Encode());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->families[0].type, FamilyType::kCounter);
  EXPECT_TRUE(decoded->options.empty());
}

TEST(Schema, AnUnknownTypeIsRefusedWithTheWayOut) {
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"notes", FamilyType::kText, {}}};
  schema.Normalize();
  auto decoded = TableSchema::Decode(schema.Encode());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->families[0].type, FamilyType::kText);
  schema.families[0].type = static_cast<FamilyType>(static_cast<int>(kLastFamilyType) + 1);
  decoded = TableSchema::Decode(schema.Encode());
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(decoded.status().ToString().find(
                "family notes has type 8, which this sippar does not know; if a newer sippar wrote "
                "the schema, use that one"),
            std::string::npos)
      << decoded.status();
}

TEST(Schema, BadNamesAreRefusedByName) {
  EXPECT_FALSE(ValidateTableName("").ok());
  EXPECT_FALSE(ValidateTableName("a/b").ok());
  EXPECT_FALSE(ValidateTableName(".hidden").ok());
  EXPECT_FALSE(ValidateTableName(std::string(limits::kTableNameSizeMax + 1, 'a')).ok());
  EXPECT_TRUE(ValidateFamilyName("my-fam.v2_").ok());
  EXPECT_FALSE(ValidateFamilyName("a:b").ok());
  EXPECT_FALSE(ValidateRowKey("").ok());
  EXPECT_TRUE(ValidateRowKey(std::string(limits::kRowKeySizeMax, 'k')).ok());
  EXPECT_FALSE(ValidateRowKey(std::string(limits::kRowKeySizeMax + 1, 'k')).ok());
}

TEST(GcPolicy, PrintsAsTheLanguageWritesIt) {
  EXPECT_EQ(GcPolicy::KeepAll().Print(), "");
  EXPECT_EQ(GcPolicy::Intersection({GcPolicy::MaxVersions(3), GcPolicy::MaxAge(2'592'000'000'000)})
                .Print(),
            "INTERSECTION(VERSIONS(3), AGE(30d))");
}

TEST(GcPolicy, UnionDropsWhenEitherIntersectionWhenBoth) {
  GcPolicy either = GcPolicy::Union({GcPolicy::MaxVersions(1), GcPolicy::MaxAge(10)});
  GcPolicy both = GcPolicy::Intersection({GcPolicy::MaxVersions(1), GcPolicy::MaxAge(10)});
  EXPECT_FALSE(either.MayDrop(1, 95, 100));
  EXPECT_TRUE(either.MayDrop(2, 95, 100));
  EXPECT_TRUE(either.MayDrop(1, 89, 100));
  EXPECT_FALSE(both.MayDrop(2, 95, 100));
  EXPECT_FALSE(both.MayDrop(1, 89, 100));
  EXPECT_TRUE(both.MayDrop(2, 89, 100));
}

TEST(Mutation, LimitsAreCheckedWithFieldLimitAndValue) {
  TableSchema schema = WebTable();
  auto text = [&](RowMutation mutation) { return mutation.Validate(schema).ToString(); };
  EXPECT_EQ(text(RowMutation("r").Set("contents", "", "x", 5)), "OK");
  EXPECT_NE(text(RowMutation("r").Set("nope", "", "x")).find("no family 'nope'"),
            std::string::npos);
  EXPECT_NE(text(RowMutation("r").Set("hits", "", "123")).find("takes 8"), std::string::npos);
  EXPECT_NE(text(RowMutation("r").Set("contents", std::string(16385, 'q'), "")).find("16384"),
            std::string::npos);
  EXPECT_NE(text(RowMutation("r").DeleteColumn("contents", "", {5, 5})).find("is empty"),
            std::string::npos);
  EXPECT_NE(text(RowMutation("r")).find("no entries"), std::string::npos);
}

TEST(Mutation, ATextFamilyTakesOnlyUtf8) {
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"b", FamilyType::kBytes, {}}, {"t", FamilyType::kText, {}}};
  schema.Normalize();
  auto text = [&](RowMutation mutation) { return mutation.Validate(schema).ToString(); };
  for (const char* good : {"", "a", "\xc3\xa4", "\xf0\x9f\x98\x80"}) {
    EXPECT_EQ(text(RowMutation("r").Set("t", "q", good)), "OK");
    EXPECT_EQ(text(RowMutation("r").Append("t", "q", good)), "OK");
  }
  for (const char* bad : {"ab\xc3", "ab\x80", "ab\xed\xa0\x80", "ab\xc0\xaf", "ab\xff"}) {
    EXPECT_NE(text(RowMutation("r").Set("t", "q", bad)).find("t:q is not UTF-8 (byte 2 is"),
              std::string::npos);
    EXPECT_NE(text(RowMutation("r").Append("t", "q", bad)).find("not UTF-8"), std::string::npos);
    EXPECT_EQ(text(RowMutation("r").Set("b", "q", bad)), "OK");
  }
  EXPECT_NE(text(RowMutation("r").Increment("t", "q", 1)).find("cannot be incremented"),
            std::string::npos);
  EXPECT_NE(text(RowMutation("r").Add("t", "q", "x")).find("not an aggregate"), std::string::npos);
  EXPECT_EQ(text(RowMutation("r").DeleteColumn("t", "q").DeleteFamily("t")), "OK");
}

TEST(ColumnPattern, LiteralHeadsBecomeSeeks) {
  auto matcher =
      ColumnMatcher::Compile({{NamePattern::Exact("a"), NamePattern::Regex("^ab.*z$")},
                              {NamePattern::Regex("^(a|b)$"), NamePattern::Prefix("x")}});
  ASSERT_TRUE(matcher.ok());
  std::string next;
  ASSERT_TRUE((*matcher)->NextQualifier("a", "", &next));
  EXPECT_EQ(next, "ab");
  ASSERT_TRUE((*matcher)->NextQualifier("a", "ac", &next));
  EXPECT_EQ(next, "x");
  EXPECT_FALSE((*matcher)->NextQualifier("a", "y", &next));
  EXPECT_TRUE((*matcher)->Matches("b", "xq"));
  EXPECT_FALSE((*matcher)->Matches("b", "abz"));
}

TEST(ColumnPattern, AlternativesAndQuantifiersHaveNoLiteralHead) {
  for (const char* pattern : {"^ab|ac", "^*ab", "ab", "^?a", "(?m)^a", "^\\Qa|b\\E|c"}) {
    auto regex = BytesRegex::Compile(pattern);
    ASSERT_TRUE(regex.ok()) << pattern;
    EXPECT_EQ((*regex)->LiteralPrefix(), "") << pattern;
  }
  EXPECT_EQ((*BytesRegex::Compile("^com\\.cnn\\."))->LiteralPrefix(), "com.cnn.");
  EXPECT_EQ((*BytesRegex::Compile("^a[|]b"))->LiteralPrefix(), "a");
  EXPECT_EQ((*BytesRegex::Compile("^abc*"))->LiteralPrefix(), "ab");
  EXPECT_EQ((*BytesRegex::Compile("^abc+d"))->LiteralPrefix(), "abc");
  EXPECT_EQ((*BytesRegex::Compile("^ab\\d"))->LiteralPrefix(), "ab");
  EXPECT_EQ((*BytesRegex::Compile("^ab", true))->LiteralPrefix(), "");
}

TEST(ColumnPattern, BadRegexSaysWhy) {
  auto regex = BytesRegex::Compile("(");
  ASSERT_FALSE(regex.ok());
  EXPECT_NE(regex.status().ToString().find("missing )"), std::string::npos);
}

}  // namespace
}  // namespace sippar::engine
