// Splits a text into tokens, computes their places, and checks the text before it is parsed (size,
// UTF-8, unclosed quotes, nesting). The lexer reads bytes. One LexedText serves one text, on one
// thread. Private to query/parse, because it uses ANTLR's types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SipparLexer.h>

#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "query/parse/nesting.h"
#include "query/session/query_error.h"

namespace sippar::query {

using sippar_grammar::SipparLexer;

// Gives ANTLR one character for each byte, so that the indexes of tokens are byte offsets and
// invalid UTF-8 can be read.
class ByteStream : public antlr4::ANTLRInputStream {
 public:
  explicit ByteStream(std::string_view text);
};

// Thrown to leave ANTLR's code when the statement is to stop; parse.cc catches it. ANTLR has no
// other way out.
struct ParseStopped {
  Status status;
};

// Checks a stop signal at every 256th call, since a check may read a clock.
class StopPoll {
 public:
  explicit StopPoll(const engine::StopSignal* stop) : stop_(stop) {}
  void Poll() {
    if (stop_ == nullptr || ++count_ % kPollEvery != 0) return;
    Status status = stop_->Check();
    if (!status.ok()) throw ParseStopped{status};
  }

 private:
  static constexpr uint32_t kPollEvery = 256;
  const engine::StopSignal* stop_;
  uint32_t count_ = 0;
};

// A lexer that does not print errors to stderr: the token kinds OPEN_… and ANY report them.
class SilentLexer : public SipparLexer {
 public:
  explicit SilentLexer(antlr4::CharStream* input, const engine::StopSignal* stop = nullptr)
      : SipparLexer(input), poll_(stop) {
    removeErrorListeners();
  }
  // Skips blanks before the lexer sees them: they would be half of all tokens, and no code uses
  // them.
  std::unique_ptr<antlr4::Token> nextToken() override {
    poll_.Poll();
    for (size_t c = _input->LA(1); c == ' ' || c == '\t' || c == '\r' || c == '\n';) {
      _input->consume();
      c = _input->LA(1);
    }
    return SipparLexer::nextToken();
  }

 private:
  StopPoll poll_;
};

// Computes line and column (in characters, from 1) of byte offsets, in logarithmic time: a large
// statement has a place for each of its nodes.
class Places {
 public:
  explicit Places(std::string_view text);
  Span At(size_t begin, size_t end) const;

 private:
  size_t ContinuationsBefore(size_t offset) const;
  std::string_view text_;
  std::vector<size_t> line_starts_;
  // UTF-8 continuation bytes before each block of the text; empty if the text is ASCII.
  std::vector<size_t> continuations_;
};

class LexedText {
 public:
  // `stop` may be null; otherwise it outlives the object, as `text` does.
  explicit LexedText(std::string_view text, const engine::StopSignal* stop = nullptr);

  // Checks size, encoding, unclosed tokens, unknown characters and nesting. Call it before parsing.
  [[nodiscard]] Status Check();
  antlr4::CommonTokenStream* tokens() { return &tokens_; }
  const engine::StopSignal* stop() const { return stop_; }
  // The tokens that the parser sees; the last is EOF.
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
  const engine::StopSignal* stop_;
  Places places_;
  ByteStream input_;
  SilentLexer lexer_;
  antlr4::CommonTokenStream tokens_;
  // Counts how deep the text is nested. Check refuses a text that is nested too deep, because it
  // could exhaust the parser's stack.
  Nesting nesting_;
};

}  // namespace sippar::query
