// A text as tokens: the lexer over plain bytes, places of tokens, and the checks that come before
// parsing (size, UTF-8, open quotes, nesting). Private to query/parse: it shows ANTLR types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SipparLexer.h>

#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "query/query_error.h"

namespace sippar::query {

using sippar_grammar::SipparLexer;

// One character per byte, so that token indexes are byte offsets and any byte can be read.
class ByteStream : public antlr4::ANTLRInputStream {
 public:
  explicit ByteStream(std::string_view text);
};

// Keeps ANTLR from printing to stderr; the token kinds OPEN_…, ANY tell the same.
class SilentLexer : public SipparLexer {
 public:
  explicit SilentLexer(antlr4::CharStream* input) : SipparLexer(input) { removeErrorListeners(); }
};

// Line and column (in characters) of byte offsets.
class Places {
 public:
  explicit Places(std::string_view text);
  Span At(size_t begin, size_t end) const;

 private:
  size_t ContinuationsBefore(size_t offset) const;
  std::string_view text_;
  std::vector<size_t> line_starts_;
  std::vector<size_t> continuations_;  // before each block; empty when the text is ASCII
};

class LexedText {
 public:
  explicit LexedText(std::string_view text);

  // Size, encoding, unterminated tokens, unknown characters, nesting. Call before parsing.
  [[nodiscard]] Status Check();
  antlr4::CommonTokenStream* tokens() { return &tokens_; }
  // The tokens the parser sees, the last is EOF.
  std::vector<const antlr4::Token*> VisibleTokens();

  std::string_view text() const { return text_; }
  Span SpanOf(const antlr4::Token& token) const;
  Span SpanOf(const antlr4::Token& first, const antlr4::Token& last) const;
  Span SpanAt(size_t begin, size_t end) const { return places_.At(begin, end); }
  std::string_view TextOf(const antlr4::Token& token) const;

 private:
  Status CheckToken(const antlr4::Token& token);
  Status CheckNesting(const antlr4::Token& token);

  std::string_view text_;
  Places places_;
  ByteStream input_;
  SilentLexer lexer_;
  antlr4::CommonTokenStream tokens_;
  // Parser recursion: open brackets and CASEs, a run of prefix operators, ELSE IFs.
  size_t open_ = 0;
  size_t run_ = 0;
  size_t else_ifs_ = 0;
  size_t previous_type_ = 0;
};

}  // namespace sippar::query
