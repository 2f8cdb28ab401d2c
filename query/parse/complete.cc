// SPDX-License-Identifier: Apache-2.0
#include "query/parse/complete.h"

#include <algorithm>
#include <array>

#include "query/parse/grammar_walk.h"
#include "query/parse/lexed_text.h"
#include "query/parse/split.h"

namespace sippar::query {
namespace {

using antlr4::Token;

// True for a token that the user may still be typing. If the caret touches such a token, completion
// replaces the token, and the tokens that the grammar walk takes end before it.
bool IsWord(const Token& token) {
  size_t type = token.getType();
  return IsKeyword(type) || type == SipparParser::IDENT || type == SipparParser::COLUMN_PATTERN ||
         type == SipparParser::BAD_NUMBER;
}

// True if the name of a table follows the token at `i`, as after FROM and INTO.
bool LeadsToTable(const std::vector<const antlr4::Token*>& tokens, size_t i) {
  const auto follows = [&](size_t type) { return i > 0 && tokens[i - 1]->getType() == type; };
  switch (tokens[i]->getType()) {
    case SipparParser::FROM:
    case SipparParser::INTO:
    case SipparParser::UPDATE:
    case SipparParser::INCREMENT:
    case SipparParser::TABLE:
    case SipparParser::TAIL:
    case SipparParser::ON:
    case SipparParser::OF:
      return true;
    case SipparParser::LPAREN:
      // FROM CELLS (t) names a table in the parentheses. After SELECT CELLS a parenthesis begins a
      // value.
      return follows(SipparParser::CELLS) && i > 1 &&
             tokens[i - 2]->getType() == SipparParser::FROM;
    case SipparParser::ROW:
      return follows(SipparParser::BEGIN);
    case SipparParser::TO:
      return tokens[0]->getType() == SipparParser::APPEND;
    default:
      return false;
  }
}

// The table of the statement: the name after FROM, INTO, UPDATE … Names after the caret count, too,
// since SELECT names its columns before its table.
std::string TableOf(LexedText* text) {
  auto tokens = text->VisibleTokens();
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool is_named = tokens[i + 1]->getType() == SipparParser::IDENT;
    if (!is_named || !LeadsToTable(tokens, i)) continue;
    std::string_view name = text->TextOf(*tokens[i + 1]);
    if (name[0] == '`') name = name.substr(1, name.size() - 2);
    return std::string(name);
  }
  return "";
}

void Fill(const Expectation& expected, Completion* out) {
  out->keywords = expected.AllWords();
  out->table = expected.table;
  out->family = expected.family;
  out->group = expected.group;
  out->pattern = expected.pattern;
  out->value = expected.expression;
  out->setting = expected.setting;
  out->show = expected.show;
  out->format = expected.format;
}

// Removes the keywords of statements that cannot run. The grammar also accepts unsupported
// statements, so that an error can name them, but completion must not offer their keywords.
void KeepWhatRuns(const std::vector<const Token*>& tokens, std::vector<std::string>* keywords) {
  auto offers = [&](std::string_view word) {
    return std::find(keywords->begin(), keywords->end(), word) != keywords->end();
  };
  // Without SELECT among the keywords, the caret is within a statement and not at its start.
  if (!offers("SELECT")) return;
  bool explains = !tokens.empty() && tokens[0]->getType() == SipparParser::EXPLAIN;
  std::erase_if(*keywords, [&](const std::string& word) {
    constexpr std::array<std::string_view, 2> kRefused = {"GRANT", "REVOKE"};
    if (explains && word == "EXPLAIN") return true;
    return std::find(kRefused.begin(), kRefused.end(), word) != kRefused.end();
  });
}

}  // namespace

Completion CompleteAt(std::string_view text, size_t caret) {
  Completion out;
  caret = std::min(caret, text.size());
  out.word_begin = caret;
  // The statement begins after the last complete statement before the caret.
  size_t begin = SplitStatements(text.substr(0, caret)).rest.offset;
  // LexedText::Check is not called for `all` and `before`: text that is being typed is nearly
  // always incomplete, and completion must still answer.
  LexedText all(text.substr(begin));
  out.table_name = TableOf(&all);
  LexedText before(text.substr(begin, caret - begin));
  auto tokens = before.VisibleTokens();
  // Removes the EOF token, which would end the walk.
  tokens.pop_back();
  if (!tokens.empty()) {
    const Token& last = *tokens.back();
    bool touches = begin + last.getStopIndex() + 1 == caret;
    out.in_string = last.getType() == SipparParser::OPEN_STRING;
    if ((touches && IsWord(last)) || out.in_string) {
      out.word_begin = begin + last.getStartIndex();
      tokens.pop_back();
    }
  }
  GrammarWalk walk(SipparParser::RuleScript);
  for (const Token* token : tokens) {
    // The text before the caret begins no valid statement, so completion offers no keyword. `out`
    // keeps the table's name, with which the caller may still complete.
    if (!walk.Advance(token->getType())) return out;
  }
  Fill(ExpectationOf(walk), &out);
  KeepWhatRuns(tokens, &out.keywords);
  return out;
}

}  // namespace sippar::query
