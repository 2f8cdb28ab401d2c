// SPDX-License-Identifier: Apache-2.0
#include "query/parse/nesting.h"

#include <SipparLexer.h>

namespace sippar::query {
namespace {

using sippar_grammar::SipparLexer;

// The type that closes what a token of `token_type` opens; 0 if it opens nothing.
size_t CloserOf(size_t token_type) {
  switch (token_type) {
    case SipparLexer::LPAREN:
      return SipparLexer::RPAREN;
    case SipparLexer::LBRACKET:
      return SipparLexer::RBRACKET;
    case SipparLexer::LBRACE:
      return SipparLexer::RBRACE;
    case SipparLexer::CASE:
      return SipparLexer::END;
    default:
      return 0;
  }
}

}  // namespace

void Nesting::Take(size_t token_type) {
  // After a dot or AS the grammar accepts only a name, and every keyword counts as a name there
  // (x.end, AS end). The token's type is ignored then: such an END closes no CASE.
  if (previous_ == SipparLexer::DOT || previous_ == SipparLexer::AS) token_type = 0;
  CountPrefix(token_type);
  CountElseIf(token_type);
  OpenOrClose(token_type);
  previous_ = token_type;
}

void Nesting::CountPrefix(size_t token_type) {
  Level& level = levels_.back();
  // The parser reads the rest of the statement inside each EXPLAIN, so an EXPLAIN counts until the
  // statement ends. EXPLAIN is not in `is_prefix`, because other words may stand between two
  // EXPLAINs.
  if (token_type == SipparLexer::EXPLAIN) {
    ++level.depth;
    ++depth_;
  }
  const bool is_prefix = token_type == SipparLexer::NOT || token_type == SipparLexer::MINUS ||
                         token_type == SipparLexer::PLUS || token_type == SipparLexer::MATCH;
  run_ = is_prefix ? run_ + 1 : 0;
  // While the parser reads the brackets after a run of prefix operators (- - -a[1]), it is still
  // inside the run. So the depth that the longest run adds stays until the level is closed.
  if (run_ <= level.longest_run) return;
  level.longest_run = run_;
  ++level.depth;
  ++depth_;
}

// In ATOMIC, each IF directly after ELSE makes the parser recurse one level deeper, without a
// bracket. A chain of ELSE IFs ends after a block that no ELSE follows, or when a token other than
// IF or { follows an ELSE.
void Nesting::CountElseIf(size_t token_type) {
  Level& level = levels_.back();
  // Elsewhere, as in CASE … ELSE IF(a, b, c) END, the IF is a function.
  if (level.closer != SipparLexer::RBRACE) return;
  const bool after_else = previous_ == SipparLexer::ELSE;
  if (after_else && token_type == SipparLexer::IF) {
    ++level.else_ifs;
    ++level.depth;
    ++depth_;
    return;
  }
  const bool ends = after_else
                        ? token_type != SipparLexer::LBRACE
                        : previous_ == SipparLexer::RBRACE && token_type != SipparLexer::ELSE;
  if (!ends) return;
  level.depth -= level.else_ifs;
  depth_ -= level.else_ifs;
  level.else_ifs = 0;
}

void Nesting::OpenOrClose(size_t token_type) {
  if (const size_t closer = CloserOf(token_type); closer != 0) {
    levels_.push_back({.closer = closer, .depth = 1});
    ++depth_;
  } else if (token_type != 0 && token_type == levels_.back().closer) {
    // Only the closer of the innermost level lowers the depth. Any other closing token is a syntax
    // error and changes nothing.
    depth_ -= levels_.back().depth;
    levels_.pop_back();
  } else if (token_type == SipparLexer::SEMI && levels_.size() == 1) {
    depth_ = 0;
    levels_.back() = Level();
  }
}

}  // namespace sippar::query
