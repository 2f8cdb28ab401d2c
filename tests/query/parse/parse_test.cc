// The parser: every example of grammar/examples parses, prints, and parses to the same tree; what
// literals and patterns mean; what is refused, with code, place and hint.
// SPDX-License-Identifier: Apache-2.0
#include "query/parse/parse.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/base/random.h"
#include "query/parse/split.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectRoundTrip(std::string_view text) {
  SCOPED_TRACE(text);
  auto first = ParseStatement(text);
  ASSERT_TRUE(first.ok()) << RenderError(text, QueryErrorOf(first.status()));
  std::string printed = Print(*first);
  auto second = ParseStatement(printed);
  ASSERT_TRUE(second.ok()) << RenderError(printed, QueryErrorOf(second.status()));
  EXPECT_TRUE(*first == *second) << printed;
  EXPECT_EQ(Print(*second), printed);
}

TEST(Parse, EveryExampleRoundTrips) {
  size_t statements = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SIPPAR_EXAMPLES)) {
    std::string text = ReadAll(entry.path());
    SplitResult split = SplitStatements(text);
    EXPECT_EQ(split.state, Completeness::kEmpty) << entry.path();
    for (const StatementText& statement : split.statements) {
      ExpectRoundTrip(statement.text);
      ++statements;
    }
  }
  EXPECT_GE(statements, 90U);
}

TEST(Parse, HardTextsRoundTrip) {
  for (
      const char* text : {
          "SELECT -9223372036854775808, - 5, -(5), -x, -(-x), 1 - -1",
          "SELECT 1.0, 2e9, 1e300, 0.1, -0.5, 0x2a, .5, -.5e-3, 5., 5.e2",
          "SELECT a IS TRUE, a IS NOT FALSE, a = b IS DISTINCT FROM c, a IS NOT DISTINCT FROM NULL",
          "SELECT CAST(a AS ARRAY<INT64>), SAFE_CAST(a AS ARRAY<`x-y`>), 1 + (a IS DISTINCT FROM "
          "b)",
          "SELECT 1h30m, 250us, 4w, 0us, 64KiB, 7B, 1GB",
          R"(SELECT 'it''s', "say ""hi""", r'\d+', b'\x00\xff', x'00 ff', 'tab\t nl\n nul\0 \u20ac')",
          "SELECT '\xe2\x82\xac', '\\xff'",
          "SELECT TIMESTAMP '2026-11-20T12:00:00.000001Z', TIMESTAMP '2026-11-20 12:00:00'",
          "SELECT (a OR b) AND NOT (c AND d) OR e FROM t",
          "SELECT a - (b - c) - d, a / (b * c), (a + b) * c, a || b || c",
          "SELECT (a = b) = c, NOT a = b, a IS NULL, a NOT IN (1, 2), a NOT LIKE 'x'",
          "SELECT a NOT BETWEEN 1 AND 2 AND b, (a AND b) IS NOT NULL",
          "SELECT x ~ /a\\/b/i, x !~ /^$/, x ~ y, x !~ 'z'",
          "SELECT CASE x WHEN 1 THEN 'a' ELSE 'b' END, CASE WHEN a THEN b END",
          "SELECT IF(a, b, c), TIMESTAMP(f:), COUNT(DISTINCT x), COUNT(*), TRY_CAST(x AS INT64)",
          "SELECT [1, 2, [3]], f:*['q'], a[0][1], []",
          "SELECT `select`, `my-table.v2` FROM `from`",
          "SELECT limit:, row:x, `odd name`:\"q'q\", a-b:c, f:^\"p\\x00\", f:x'00ff', 1.2:z FROM t",
          "SELECT *:*, /a\\/b/i:/c\\/d/i, f:@site, f:/\\d+/ FROM t",
          "SELECT a AS select, b c FROM t REVERSE WITH DELETES STRIP VALUES SAMPLE 0.5",
          "SELECT * FROM (SELECT row FROM t LIMIT 5) WHERE row > 'a' LIMIT 1 BY row OFFSET 3",
          "SELECT * FROM t CELLS PER COLUMN 2 CELLS PER FAMILY 3 OFFSET 1 TIME TO 5",
          "SELECT * FROM t LIMIT 5 AFTER 'token'",
          "CREATE TABLE t (FAMILY 'a-b' VERSIONS 3 GC = UNION(VERSIONS(3), AGE(30d)), "
          "LOCALITY GROUP g ('a-b') IN_MEMORY BLOOM = NONE)",
          "ATOMIC ON t ROW 'r' { IF a { } ELSE { IF b { DELETE ROW } SET f:q ||= 'x' } }",
          "SET wait = on",
          "SET wait TO ON",
          "SHOW CREATE TABLE t",
          "EXPLAIN EXPLAIN SELECT 1",
      }) {
    ExpectRoundTrip(text);
  }
}

const syntax::Expr& OnlyItem(const syntax::Statement& statement) {
  return std::get<syntax::Select>(statement.node).items[0].expr;
}

TEST(Parse, LiteralsMeanWhatTheySay) {
  using syntax::Literal;
  struct Case {
    const char* text;
    Literal::Type type;
    int64_t integer;
    std::string bytes;
  };
  for (const Case& c : std::vector<Case>{
           {"SELECT 0x2a", Literal::kInt64, 42, ""},
           {"SELECT -9223372036854775808", Literal::kInt64, INT64_MIN, ""},
           {"SELECT 1h30m", Literal::kDuration, 5'400'000'000, ""},
           {"SELECT 64KiB", Literal::kSize, 65536, ""},
           {"SELECT 'a''b\\n\\x41\\u20ac'", Literal::kText, 0, "a'b\nA\xe2\x82\xac"},
           {"SELECT '\\ud83d\\ude00'", Literal::kText, 0, "\xf0\x9f\x98\x80"},
           {"SELECT r'\\d'", Literal::kText, 0, "\\d"},
           {"SELECT b'\\xff'", Literal::kBytes, 0, "\xff"},
           {"SELECT x'00 fF'", Literal::kBytes, 0, std::string("\0\xff", 2)},
           {"SELECT TIMESTAMP '1970-01-01T01:00:00.000009+01:00'", Literal::kTimestamp, 9, ""},
           {"SELECT TIMESTAMP '2000-02-29T00:00:00Z'", Literal::kTimestamp, 951782400000000, ""},
           {"SELECT TRUE", Literal::kBool, 1, ""},
           {"SELECT NULL", Literal::kNull, 0, ""},
       }) {
    SCOPED_TRACE(c.text);
    auto statement = ParseStatement(c.text);
    ASSERT_TRUE(statement.ok()) << statement.status().message();
    const Literal& literal = OnlyItem(*statement).literal;
    EXPECT_EQ(literal.type, c.type);
    EXPECT_EQ(literal.integer, c.integer);
    EXPECT_EQ(literal.text, c.bytes);
  }
}

TEST(Parse, PatternsMeanWhatTheySay) {
  using engine::NamePattern;
  auto pattern = ParsePattern("/^a\\/b/:/c$/i");
  ASSERT_TRUE(pattern.ok());
  EXPECT_EQ(pattern->family, NamePattern::Regex("^a/b"));
  EXPECT_EQ(pattern->qualifier, NamePattern::Regex("c$", true));
  pattern = ParsePattern("anchor:^\"a-\"");
  ASSERT_TRUE(pattern.ok());
  EXPECT_EQ(pattern->qualifier, NamePattern::Prefix("a-"));
  pattern = ParsePattern("contents:");
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE(pattern->IsExact());
  EXPECT_EQ(pattern->ToColumnPattern(), engine::ColumnPattern::Exact("contents", ""));
  pattern = ParsePattern("anchor:@site");
  ASSERT_TRUE(pattern.ok());
  EXPECT_EQ(pattern->ToColumnPattern("x"), engine::ColumnPattern::Exact("anchor", "x"));
  // A subtraction whose right side starts with a family needs a blank.
  auto statement = ParseStatement("SELECT hits:total-1, a-b:c FROM t");
  ASSERT_TRUE(statement.ok());
  EXPECT_EQ(OnlyItem(*statement).op, syntax::BinaryOp::kSubtract);
}

TEST(Parse, ChainIsTwoTests) {
  auto chain = ParseExpression("'a' <= row < 'e'");
  auto both = ParseExpression("'a' <= row AND row < 'e'");
  ASSERT_TRUE(chain.ok() && both.ok());
  EXPECT_TRUE(*chain == *both);
}

struct Refusal {
  std::string text;
  const char* code;
  int line;
  int column;
  const char* in_message;
  const char* in_hint;
};

TEST(Parse, RefusesWithPlaceAndHint) {
  for (const Refusal& r : std::vector<Refusal>{
           {"SELCT * FROM web", "SYNTAX", 1, 1, "unexpected 'SELCT'", "did you mean SELECT?"},
           {"SELECT * FROM web WEHRE row = 'a'", "SYNTAX", 1, 19, "WHERE", "did you mean WHERE?"},
           {"SELECT row FORM web", "SYNTAX", 1, 17, "unexpected 'web'", "FROM instead of FORM"},
           {"SELECT 'abc", "UNTERMINATED", 1, 8, "line 1 column 8", ""},
           {"SELECT 1 /* x", "UNTERMINATED", 1, 10, "comment", ""},
           {"SELECT row FROM web WHERE 'a' < row > 'b'", "RANGE_DIRECTION", 1, 31, "", "AND"},
           {"SELECT '\\q'", "BAD_ESCAPE", 1, 9, "unknown escape", ""},
           {"SELECT '\xc3\xa4\\q'", "BAD_ESCAPE", 1, 10, "unknown escape", ""},
           {"SELECT x'0'", "BAD_LITERAL", 1, 8, "odd", ""},
           {"SELECT 12abc", "BAD_LITERAL", 1, 8, "12abc", "units"},
           {"SELECT .5x", "BAD_LITERAL", 1, 8, ".5x", "units"},
           {"SELECT 1.2.3.4", "SYNTAX", 1, 11, "unexpected", ""},
           {"SELECT CAST(a AS ARRAY<ARRAY<INT64>>)", "UNSUPPORTED", 1, 18, "CAST to ARRAY",
            "ARRAY_TRANSFORM"},
           {"SELECT 9223372036854775808", "BAD_LITERAL", 1, 8, "INT64", ""},
           {"SELECT TIMESTAMP '2026-02-30T00:00:00Z'", "BAD_LITERAL", 1, 18, "not a time", ""},
           {"UPDATE web SET x = 1 WHERE row = 'a'", "SYNTAX", 1, 16, "column pattern", "family:"},
           {"UPDATE web SET f: = 1", "SYNTAX", 1, 22, "unexpected end", ""},
           {"SELECT * FROM 'web'", "SYNTAX", 1, 15, "a table name", "not quoted"},
           {"SELECT *\nFROM web\nLIMIT", "SYNTAX", 3, 6, "a value", ""},
           {"SELECT f: FROM t VERSIONS 1 VERSIONS 2", "DUPLICATE_CLAUSE", 1, 29, "VERSIONS", ""},
           {"SELECT \xff", "ENCODING", 0, 0, "UTF-8", "b'"},
           {"SELECT \xc3\xa4", "SYNTAX", 1, 8, "\xc3\xa4", "backquotes"},
           {"  ", "SYNTAX", 1, 1, "found none", ""},
       }) {
    SCOPED_TRACE(r.text);
    auto statement = ParseStatement(r.text);
    ASSERT_FALSE(statement.ok());
    QueryError error = QueryErrorOf(statement.status());
    EXPECT_EQ(error.code, r.code);
    EXPECT_EQ(error.span.line, r.line);
    EXPECT_EQ(error.span.column, r.column);
    EXPECT_NE(error.message.find(r.in_message), std::string::npos) << error.message;
    EXPECT_NE(error.hint.find(r.in_hint), std::string::npos) << error.hint;
  }
}

TEST(Parse, DepthIsBounded) {
  std::vector<std::string> deep;
  for (const char* unit : {"(", "[", "NOT ", "- ", "CASE WHEN "}) {
    std::string text = "SELECT ";
    for (int i = 0; i < 100'000; ++i) text += unit;
    deep.push_back(text + "1");
  }
  std::string sum = "SELECT 1";
  std::string else_ifs = "ATOMIC ON t ROW 'r' { IF a { } ";
  std::string explains;
  for (int i = 0; i < 100'000; ++i) {
    sum += "+1";
    else_ifs += "ELSE IF a { } ";
    explains += "EXPLAIN ";
  }
  deep.push_back(sum);
  deep.push_back(else_ifs + "}");
  deep.push_back(explains + "SELECT 1");
  for (const std::string& text : deep) {
    SCOPED_TRACE(text.substr(0, 40));
    auto statement = ParseStatement(text);
    ASSERT_FALSE(statement.ok());
    EXPECT_EQ(QueryErrorOf(statement.status()).code, "TOO_DEEP");
  }
  std::string fine = "SELECT " + std::string(150, '(') + "1" + std::string(150, ')');
  EXPECT_TRUE(ParseStatement(fine).ok());
}

TEST(Render, CaretForm) {
  std::string text = "-- first\nSELECT * FROM web WEHRE row = 'a'";
  auto statement = ParseStatement(text);
  ASSERT_FALSE(statement.ok());
  std::string shown = RenderError(text, QueryErrorOf(statement.status()), "script.bt", 2);
  EXPECT_EQ(shown.substr(0, shown.find(", expected")),
            "error SYNTAX: script.bt:3:19: unexpected 'WEHRE'");
  EXPECT_NE(shown.find("\n  3 | SELECT * FROM web WEHRE row = 'a'\n"
                       "    |                   ^^^^^ did you mean WHERE?\n"),
            std::string::npos)
      << shown;
}

TEST(Render, ControlCharactersAreShown) {
  std::string text = "SELECT '\x1b[31m' FORM";
  auto statement = ParseStatement(text + " web");
  ASSERT_FALSE(statement.ok());
  std::string shown = RenderError(text, QueryErrorOf(statement.status()));
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
}

TEST(Split, TokensAndBracesHideSemicolons) {
  SplitResult split = SplitStatements(
      "SELECT ';', f:/a;b/; -- no; \n ATOMIC ON t ROW 'r' { SET f:q = 1; }; \\dt w;x\nSELECT /*;*/ "
      "2");
  ASSERT_EQ(split.statements.size(), 3U);
  EXPECT_EQ(split.statements[0].text, "SELECT ';', f:/a;b/");
  EXPECT_EQ(split.statements[1].line, 2);
  EXPECT_TRUE(split.statements[2].meta);
  EXPECT_EQ(split.statements[2].text, "\\dt w;x");
  EXPECT_EQ(split.rest.text, "SELECT /*;*/ 2");
  EXPECT_EQ(split.rest.line, 3);
}

// A comment keeps the splitter from taking a statement without the lexer. So two texts, one with a
// comment after each ";", are split alike.
TEST(Split, PlainStatementsEndWhereTheLexerEndsThem) {
  constexpr std::array kParts = {
      "SELECT 1",  " 'a;b' ",   " 'it''s;' ", " '\\';' ",   " r'\\' ", " b';' ",     " x'3b' ",
      "\n",        " f:q = -1", " f:'x;y' ",  " f:/a;b/ ",  " ~ /;/ ", " \"a;'b\" ", " `;` ",
      " /* ; */ ", " -- ;\n",   "# '\n",      " { a; b } ", " a - b ", " é ",        " ';\n' "};
  engine::Random random(3);
  for (int round = 0; round < 5'000; ++round) {
    std::string plain, commented = "/**/";
    for (uint64_t n = random.Uniform(5); n > 0; --n) {
      std::string statement = random.Uniform(8) == 0 ? "" : "INSERT";
      for (uint64_t i = random.Uniform(4); i > 0; --i) {
        statement += kParts[random.Uniform(kParts.size())];
      }
      plain += statement + ";";
      commented += statement + ";/**/";
    }
    const std::string tail = random.Uniform(2) == 0 ? " SELECT 'open;" : "\n";
    plain += tail;
    commented += tail;
    const SplitResult fast = SplitStatements(plain), slow = SplitStatements(commented);
    ASSERT_EQ(fast.statements.size(), slow.statements.size()) << plain;
    for (size_t i = 0; i < fast.statements.size(); ++i) {
      EXPECT_EQ(fast.statements[i].text, slow.statements[i].text) << plain;
      EXPECT_EQ(fast.statements[i].line, slow.statements[i].line) << plain;
      EXPECT_EQ(fast.statements[i].text,
                plain.substr(fast.statements[i].offset, fast.statements[i].text.size()));
    }
    EXPECT_EQ(fast.rest.text, slow.rest.text) << plain;
    EXPECT_EQ(fast.rest.line, slow.rest.line) << plain;
    EXPECT_EQ(fast.state, slow.state) << plain;
  }
}

TEST(Split, EnterKey) {
  EXPECT_EQ(CompletenessOf("SELECT 1;"), Completeness::kComplete);
  EXPECT_EQ(CompletenessOf("SELECT 1"), Completeness::kNeedsMore);
  EXPECT_EQ(CompletenessOf("SELECT 'a;"), Completeness::kInString);
  EXPECT_EQ(CompletenessOf("SELECT 1 /* ;"), Completeness::kInComment);
  EXPECT_EQ(CompletenessOf("ATOMIC ON t ROW 'r' { FAIL 'x';"), Completeness::kInBraces);
  EXPECT_EQ(CompletenessOf(" -- nothing\n"), Completeness::kEmpty);
  EXPECT_EQ(CompletenessOf("\\dt"), Completeness::kComplete);
  EXPECT_EQ(CompletenessOf("SELECT 1; SELECT"), Completeness::kNeedsMore);
}

}  // namespace
}  // namespace sippar::query
