// No text exhausts the parser's stack, and what does not nest is not counted as if it did.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "query/parse/parse.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

std::string Times(int count, const std::string& unit) {
  std::string text;
  for (int i = 0; i < count; ++i) text += unit;
  return text;
}

// "" if the text is right.
std::string CodeOf(const std::string& text) {
  auto statements = ParseScript(text);
  return statements.ok() ? "" : QueryErrorOf(statements.status()).code;
}

TEST(Nesting, WordsLowerNoCount) {
  constexpr int kDeep = 20'000;
  const std::string atomic = "ATOMIC ON t ROW 'r' { ";
  for (const std::string& text :
       {"SELECT " + Times(kDeep, "(a.end + ") + "1" + Times(kDeep, ")"),
        "SELECT " + Times(kDeep, "[a.end, ") + "1" + Times(kDeep, "]"),
        "SELECT " + Times(kDeep, "CASE WHEN a.end THEN ") + "1" + Times(kDeep, " END"),
        "SELECT * FROM " + Times(kDeep, "(SELECT a AS end FROM ") + "t" + Times(kDeep, ")"),
        atomic + "IF a { } " + Times(kDeep, "ELSE IF x.end { } ") + "}",
        atomic + "IF a { } " + Times(kDeep, "ELSE IF a { RETURN x AS end } ") + "}",
        atomic + "IF a { } " + Times(kDeep, "ELSE IF IF(a, b, c) { SET f:q = 1; } ") + "}",
        atomic + Times(kDeep, "IF a { } ELSE { ") + Times(kDeep + 1, "}"),
        Times(kDeep, "EXPLAIN ANALYZE ") + "SELECT 1",
        Times(kDeep, "EXPLAIN FORMAT x ") + "SELECT 1",
        "SELECT " + Times(kDeep, "NOT a = (") + "1" + Times(kDeep, ")")}) {
    EXPECT_EQ(CodeOf(text), "TOO_DEEP") << text.substr(0, 60);
  }
}

// The parser is within all of these operators at the innermost bracket, though each run is short.
TEST(Nesting, RunsOfPrefixOperatorsAddUp) {
  std::string text = "SELECT ";
  for (int run = 150; run > 0; --run) text += Times(run, "- ") + "a[";
  EXPECT_EQ(CodeOf(text), "TOO_DEEP");
  // One level for the parser, two for the tree.
  EXPECT_EQ(CodeOf("SELECT " + Times(90, "NOT (") + "a" + Times(90, ")")), "");
}

// More than ANTLR gets a list of expectations for; its own recovery would drop the brackets.
TEST(Nesting, NothingIsReadAfterAnError) {
  EXPECT_EQ(CodeOf("SELECT " + Times(100'000, "() 1 + ")), "SYNTAX");
  EXPECT_EQ(CodeOf("SELECT " + Times(100'000, "[) ")), "TOO_DEEP");
}

TEST(Nesting, WhatStandsSideBySideDoesNotNest) {
  const std::string atomic = "ATOMIC ON t ROW 'r' { ";
  for (const std::string& text :
       {atomic + Times(500, "IF a { } ELSE IF b { } ") + "}",
        atomic + Times(500, "IF a { } ELSE IF b { } ELSE SET f:q = 1 ") + "}",
        atomic + Times(500, "IF a { SET f:q = 1; } ELSE IF b { } ELSE { FAIL 'x' }; ") + "}",
        "SELECT 1" + Times(500, ", CASE WHEN a THEN b ELSE IF(a, b, c) END"),
        "SELECT 1" + Times(500, ", x.case AS case, x.explain AS explain"),
        "SELECT 1" + Times(500, ", - NOT_A.b[- 1] + (- c)"),
        "SELECT 1" + Times(500, ", IF(NOT a, NOT b, - c)"), Times(500, "EXPLAIN SELECT 1;")}) {
    EXPECT_EQ(CodeOf(text), "") << text.substr(0, 60);
  }
}

// True if some text begins with `text`, as far as the parser can tell.
bool MayGoOn(const std::string& text) {
  auto statements = ParseScript(text);
  if (statements.ok()) return true;
  const QueryError error = QueryErrorOf(statements.status());
  return error.code != "SYNTAX" || error.span.begin >= text.size();
}

// Draws tokens that may follow `head` again and again, and repeats them far beyond any limit.
TEST(Nesting, NoRepeatedTokensExhaustTheStack) {
  const std::vector<std::string> tokens = {
      "(", ")",    "[",      "]",   "{", "}", "CASE", "WHEN", "THEN",    "END", "IF",  "ELSE",
      ".", "AS",   "a",      "f:q", "1", ",", "+",    "-",    "NOT",     "AND", "IN",  "=",
      ";", "FROM", "SELECT", "SET", "t", "*", "LIKE", "CAST", "EXPLAIN", "LET", "end", "case"};
  const std::vector<std::string> heads = {"", "SELECT ", "SELECT * FROM ",
                                          "ATOMIC ON t ROW 'r' { IF a { } "};
  std::mt19937 random(20);
  int repeated = 0;
  for (int round = 0; round < 100; ++round) {
    const std::string head = heads[random() % heads.size()];
    const size_t length = 2 + random() % 6;
    std::string unit;
    size_t taken = 0;
    for (int tried = 0; tried < 300 && taken < length; ++tried) {
      const std::string longer = unit + tokens[random() % tokens.size()] + " ";
      if (!MayGoOn(head + longer)) continue;
      unit = longer;
      ++taken;
    }
    if (!MayGoOn(head + unit + unit)) continue;
    ++repeated;
    const std::string code = CodeOf(head + Times(5'000, unit));
    EXPECT_TRUE(code.empty() || code == "TOO_DEEP" || code == "SYNTAX" || code == "UNSUPPORTED")
        << head << unit << code;
  }
  EXPECT_GT(repeated, 10);
}

}  // namespace
}  // namespace sippar::query
