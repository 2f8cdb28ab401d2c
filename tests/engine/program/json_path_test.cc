// JSON paths and their results.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/json_path.h"

#include <gtest/gtest.h>

#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

std::string Find(std::string_view json, std::string_view path, JsonForm form = JsonForm::kScalar) {
  auto parsed = ParseJsonPath(path);
  if (!parsed.ok()) return ProgramErrorCode(parsed.status());
  auto found = FindInJson(json, *parsed, form, nullptr);
  if (!found.ok()) return "error";
  return found->value_or("NULL");
}

TEST(JsonPathTest, Scalars) {
  constexpr std::string_view kJson =
      R"({"skip":{"a":{"b":[9]}},"a":{"x":[1,{"b":7}],"b":["zero",2.50,true,null,{"c":"\u00e9\n"}]},"a":1})";
  EXPECT_EQ(Find(kJson, "$.a.b[0]"), "zero");
  EXPECT_EQ(Find(kJson, "$.a.b[1]"), "2.50");
  EXPECT_EQ(Find(kJson, "$['a'][\"b\"][2]"), "true");
  EXPECT_EQ(Find(kJson, "$.a.b[3]"), "NULL");
  EXPECT_EQ(Find(kJson, "$.a.b[4].c"), "\xc3\xa9\n");
  EXPECT_EQ(Find(kJson, "$.a.b[5]"), "NULL");
  EXPECT_EQ(Find(kJson, "$.a.x[1].b"), "7");
  EXPECT_EQ(Find(kJson, "$.a"), "NULL");     // an object, not a scalar
  EXPECT_EQ(Find(kJson, "$.a[0]"), "NULL");  // an object is not a list
  EXPECT_EQ(Find(kJson, "$.a.b.c"), "NULL");
  EXPECT_EQ(Find(kJson, "$.none"), "NULL");
  EXPECT_EQ(Find("\"text\"", "$"), "text");
  EXPECT_EQ(Find("18446744073709551616", "$"), "18446744073709551616");
  EXPECT_EQ(Find(R"({"a-b":1,"c.d":2,"":3})", "$.\"a-b\""), "1");
  EXPECT_EQ(Find(R"({"a-b":1,"c.d":2,"":3})", "$['c.d']"), "2");
  EXPECT_EQ(Find(R"({"a-b":1,"c.d":2,"":3})", "$['']"), "3");
}

TEST(JsonPathTest, WhatIsNotJsonIsNull) {
  for (std::string_view text : {"", "{", "[1,", "{\"a\":", "nope", "{\"a\" 1}", "\xff", "[1}"}) {
    EXPECT_EQ(Find(text, "$.a"), "NULL") << text;
    EXPECT_EQ(Find(text, "$[7]", JsonForm::kJson), "NULL") << text;
  }
  EXPECT_EQ(Find(R"({"a":{"b":1,)", "$.a", JsonForm::kJson), "NULL");  // the object is not closed
}

TEST(JsonPathTest, WhatFollowsTheValueIsJsonToo) {
  for (std::string_view text :
       {R"({"a":1)", R"({"a":1,})", R"({"a":1,b})", R"({"a":1} x)", R"({"a":1}})",
        R"({"a":1,"b":nul})", R"({"a":01})", R"({"a":1.})", R"({"a":1e})", R"({"a":-})",
        R"({"a":1,"b":"\x"})", R"({"a":1,"b":"\ud800"})", R"({"a":1,"b":"\udc00\ud800"})",
        "{\"a\":1,\"b\":\"\n\"}", "{\"a\":1,\"b\":\"\xc3\"}", R"({"a":1,"b":[1})",
        R"({"a":1,1:2})"}) {
    EXPECT_EQ(Find(text, "$.a"), "NULL") << text;
  }
  EXPECT_EQ(Find(std::string_view("{\"a\":1}\0", 8), "$.a"), "NULL");
  EXPECT_EQ(Find(R"({"a":1,"b":[1e400,-0.5E-1,"\ud83d\ude00"]} )", "$.a"), "1");
  EXPECT_EQ(Find(R"(["\ud83d\ude00"])", "$[0]"), "\xf0\x9f\x98\x80");
}

TEST(JsonPathTest, Json) {
  constexpr std::string_view kJson =
      R"({ "a" : [ 1, "q\"\u0001", { "b" : null, "c" : [ ] , "d": {}, "e": [[1.0],2] } ], "n": null })";
  EXPECT_EQ(Find(kJson, "$.a", JsonForm::kJson),
            R"([1,"q\"\u0001",{"b":null,"c":[],"d":{},"e":[[1.0],2]}])");
  EXPECT_EQ(Find(kJson, "$.a[1]", JsonForm::kJson), R"("q\"\u0001")");
  EXPECT_EQ(Find(kJson, "$.a[2].e[0]", JsonForm::kJson), "[1.0]");
  EXPECT_EQ(Find(kJson, "$.n", JsonForm::kJson), "NULL");
  EXPECT_EQ(Find("[]", "$", JsonForm::kJson), "[]");
}

TEST(JsonPathTest, DepthCostsNoStack) {
  const std::string deep = std::string(1'000'000, '[') + "7" + std::string(1'000'000, ']');
  EXPECT_EQ(Find("{\"a\":" + deep + ",\"b\":1}", "$.b"), "1");
  EXPECT_EQ(Find(deep, "$", JsonForm::kJson), deep);
}

TEST(JsonPathTest, BadPaths) {
  for (std::string_view path : {"", "a", "$.", "$a", "$[", "$[a]", "$[1", "$..a", "$.\"a", "$['a'",
                                "$[-1]", "$.a b", "$[99999999999999999999]", "$['a\\"}) {
    EXPECT_EQ(Find("{}", path), "BAD_PATH") << path;
  }
}

}  // namespace
}  // namespace sippar::engine
