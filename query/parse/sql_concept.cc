// SPDX-License-Identifier: Apache-2.0
#include "query/parse/sql_concept.h"

#include <array>
#include <string>
#include <string_view>

namespace sippar::query {
namespace {

struct Concept {
  std::string_view first;   // the word by which the concept is recognized
  std::string_view second;  // the word after it; "": any
  std::string_view message;
  std::string_view hint;
};

constexpr std::string_view kNoJoin = "joins are not supported: a SELECT reads one table";
constexpr std::string_view kJoinHint =
    "keep what belongs together in families of one row, or read one table after the other";
constexpr std::string_view kNoUnion = "UNION, INTERSECT and EXCEPT are not supported";
constexpr std::string_view kUnionHint =
    "one WHERE with OR, AND, NOT, or one SELECT after the other";
constexpr std::string_view kNoSubquery = "a SELECT inside an expression is not supported";
constexpr std::string_view kSubqueryHint =
    "SELECT … FROM (SELECT …), or read the keys first and say row IN UNNEST(@keys)";
constexpr std::string_view kNoIndex =
    "secondary indexes are not supported: rows are found by their key";
constexpr std::string_view kIndexHint =
    "let the row key begin with what is searched for, or keep such keys in a table of their own";
constexpr std::string_view kNoView = "views are not supported";
constexpr std::string_view kViewHint = "keep the SELECT in a script";

// The first entry that fits wins, and words are compared as text, since most of them are not
// keywords here. The table is used only after a syntax error, so a column named join or union stays
// usable.
constexpr std::array<Concept, 22> kConcepts = {{
    {"JOIN", "", kNoJoin, kJoinHint},
    {"INNER", "JOIN", kNoJoin, kJoinHint},
    {"LEFT", "JOIN", kNoJoin, kJoinHint},
    {"RIGHT", "JOIN", kNoJoin, kJoinHint},
    {"CROSS", "JOIN", kNoJoin, kJoinHint},
    {"OUTER", "JOIN", kNoJoin, kJoinHint},
    {"FULL", "JOIN", kNoJoin, kJoinHint},
    {"FULL", "OUTER", kNoJoin, kJoinHint},
    {"ON", "", kNoJoin, kJoinHint},
    {"USING", "(", kNoJoin, kJoinHint},
    {"UNION", "", kNoUnion, kUnionHint},
    {"INTERSECT", "", kNoUnion, kUnionHint},
    {"EXCEPT", "", kNoUnion, kUnionHint},
    {"OVER", "(", "window functions (OVER) are not supported",
     "GROUP BY, or LIMIT n BY expression for the first rows of each group"},
    {"WITH", "", "common table expressions (WITH) are not supported", "SELECT … FROM (SELECT …)"},
    {"(", "SELECT", kNoSubquery, kSubqueryHint},
    {"CREATE", "INDEX", kNoIndex, kIndexHint},
    {"UNIQUE", "INDEX", kNoIndex, kIndexHint},
    {"CREATE", "VIEW", kNoView, kViewHint},
    {"MATERIALIZED", "VIEW", kNoView, kViewHint},
    {"REPLACE", "VIEW", kNoView, kViewHint},
    {"FROM", "SELECT", "a SELECT in FROM stands in brackets", "FROM (SELECT …)"},
}};

// How many tokens before the failing one are searched. The parser may first read a word such as
// JOIN as an alias, and then fails only some tokens later.
constexpr size_t kNear = 3;

bool Says(const LexedText& text, const antlr4::Token& token, std::string_view word) {
  std::string_view said = text.TextOf(token);
  if (said.size() != word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    char c = said[i] >= 'a' && said[i] <= 'z' ? static_cast<char>(said[i] - 'a' + 'A') : said[i];
    if (c != word[i]) return false;
  }
  return true;
}

// True if the words at `at` are of a join of two tables, which alone is not supported. JOIN UNNEST
// is supported except for RIGHT and FULL. ON and USING belong to a join only if the statement has
// one.
bool IsOfJoin(const LexedText& text, const std::vector<const antlr4::Token*>& tokens, size_t at) {
  const antlr4::Token& word = *tokens[at];
  if (Says(text, word, "ON") || Says(text, word, "USING")) {
    for (size_t i = at; i > 0 && !Says(text, *tokens[i - 1], ";"); --i) {
      if (Says(text, *tokens[i - 1], "JOIN")) return true;
    }
    return false;
  }
  const size_t join = Says(text, word, "JOIN") ? at : at + 1;
  const bool of_unnest = join + 1 < tokens.size() && Says(text, *tokens[join + 1], "UNNEST");
  return !of_unnest || Says(text, word, "RIGHT") || Says(text, word, "FULL");
}

}  // namespace

std::optional<QueryError> FindSqlConcept(const LexedText& text,
                                         const std::vector<const antlr4::Token*>& tokens,
                                         size_t failing) {
  for (size_t i = failing < kNear ? 0 : failing - kNear; i <= failing; ++i) {
    for (const Concept& each : kConcepts) {
      if (!Says(text, *tokens[i], each.first)) continue;
      bool follows = i + 1 < tokens.size() && Says(text, *tokens[i + 1], each.second);
      if (!each.second.empty() && !follows) continue;
      if (each.message == kNoJoin && !IsOfJoin(text, tokens, i)) continue;
      bool begins = i == 0 || Says(text, *tokens[i - 1], ";");
      // WITH begins a common table expression only at the start of a statement. Elsewhere it begins
      // options, WITH (…).
      if (each.first == "WITH" && !begins) continue;
      const antlr4::Token& last = each.second.empty() ? *tokens[i] : *tokens[i + 1];
      QueryError error;
      error.code = "UNSUPPORTED";
      error.message = each.message;
      error.hint = each.hint;
      error.span = text.SpanOf(*tokens[i], last);
      return error;
    }
  }
  return std::nullopt;
}

}  // namespace sippar::query
