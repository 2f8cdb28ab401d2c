// SPDX-License-Identifier: Apache-2.0
#include "query/parse/token_kinds.h"

#include <algorithm>
#include <optional>

#include "query/parse/grammar_walk.h"
#include "query/parse/lexed_text.h"

namespace sippar::query {
namespace {

using antlr4::Token;

std::optional<TokenKind> KindOf(size_t type) {
  switch (type) {
    case SipparLexer::STRING:
    case SipparLexer::RAW_STRING:
    case SipparLexer::BYTES:
    case SipparLexer::REGEX_TEST:
      return TokenKind::kQuoted;
    case SipparLexer::LINE_COMMENT:
    case SipparLexer::BLOCK_COMMENT:
      return TokenKind::kComment;
    case SipparLexer::OPEN_STRING:
    case SipparLexer::OPEN_COMMENT:
      return TokenKind::kOpen;
    default:
      return IsKeyword(type) ? std::optional(TokenKind::kKeyword) : std::nullopt;
  }
}

// The offset at which the part of `token` to colour begins. The token of a regex test begins with
// its operator.
size_t BeginOf(const Token& token, std::string_view text) {
  const size_t begin = token.getStartIndex();
  if (token.getType() != SipparLexer::REGEX_TEST) return begin;
  return std::min(text.find('/', begin), token.getStopIndex());
}

}  // namespace

std::vector<TokenSpan> FindTokenKinds(std::string_view text) {
  std::vector<TokenSpan> spans;
  ByteStream input(text);
  SilentLexer lexer(&input);
  for (auto token = lexer.nextToken(); token->getType() != Token::EOF; token = lexer.nextToken()) {
    const size_t begin = BeginOf(*token, text);
    // A backquote that no other one follows is an unknown byte to the lexer.
    if (token->getType() == SipparLexer::ANY && text[begin] == '`') {
      spans.push_back({begin, text.size(), TokenKind::kOpen});
      break;
    }
    const std::optional<TokenKind> kind = KindOf(token->getType());
    if (kind) spans.push_back({begin, token->getStopIndex() + 1, *kind});
  }
  return spans;
}

}  // namespace sippar::query
