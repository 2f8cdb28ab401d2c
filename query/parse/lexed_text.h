// A text as tokens: the lexer over plain bytes, places of tokens, and the checks that come before
// parsing (size, UTF-8, open quotes, nesting). Private to query/parse: it shows ANTLR types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SipparLexer.h>

#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "query/session/query_error.h"

namespace sippar::query {

using sippar_grammar::SipparLexer;

// One character per byte, so that token indexes are byte offsets and any byte can be read.
class ByteStream : public antlr4::ANTLRInputStream {
 public:
  explicit ByteStream(std::string_view text);
};

// Leaves ANTLR's code when the caller wants no more; caught in parse.cc.
struct ParseStopped {
  Status status;
};

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

// Keeps ANTLR from printing to stderr; the token kinds OPEN_…, ANY tell the same.
class SilentLexer : public SipparLexer {
 public:
  explicit SilentLexer(antlr4::CharStream* input, const engine::StopSignal* stop = nullptr)
      : SipparLexer(input), poll_(stop) {
    removeErrorListeners();
  }
  std::unique_ptr<antlr4::Token> nextToken() override {
    poll_.Poll();
    return SipparLexer::nextToken();
  }

 private:
  StopPoll poll_;
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
  // `stop` may be null, else outlives this.
  explicit LexedText(std::string_view text, const engine::StopSignal* stop = nullptr);

  // Size, encoding, unterminated tokens, unknown characters, nesting. Call before parsing.
  [[nodiscard]] Status Check();
  antlr4::CommonTokenStream* tokens() { return &tokens_; }
  const engine::StopSignal* stop() const { return stop_; }
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
  const engine::StopSignal* stop_;
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
