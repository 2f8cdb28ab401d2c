// SPDX-License-Identifier: Apache-2.0
#include "query/parse/lexed_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/base/utf8.h"

namespace sippar::query {
namespace {

// A smaller block would need more memory for each byte of text. In a larger block the place of an
// offset would take longer to compute.
constexpr size_t kPlaceBlock = 64;  // bytes of text per entry of Places::continuations_

size_t CountContinuations(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), engine::IsContinuation));
}

}  // namespace

ByteStream::ByteStream(std::string_view text) {
  _data.reserve(text.size());
  for (char c : text) _data.push_back(static_cast<unsigned char>(c));
  p = 0;
}

Places::Places(std::string_view text) : text_(text) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
  // Most texts are ASCII and need no table, because each of their characters is one byte.
  if (CountContinuations(text) == 0) return;
  // A column is the number of bytes from the start of the line, minus the continuation bytes among
  // them. The table holds the number of continuation bytes before each block, so a column is cheap
  // to compute even in a line of many megabytes.
  size_t count = 0;
  for (size_t i = 0; i <= text.size(); i += kPlaceBlock) {
    continuations_.push_back(count);
    count += CountContinuations(text.substr(i, kPlaceBlock));
  }
}

size_t Places::ContinuationsBefore(size_t offset) const {
  if (continuations_.empty()) return 0;
  size_t block = offset / kPlaceBlock;
  size_t start = block * kPlaceBlock;
  return continuations_[block] + CountContinuations(text_.substr(start, offset - start));
}

Span Places::At(size_t begin, size_t end) const {
  begin = std::min(begin, text_.size());
  auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), begin);
  size_t line_start = *(next - 1);
  Span span;
  span.line = static_cast<int>(next - line_starts_.begin());
  size_t hidden = ContinuationsBefore(begin) - ContinuationsBefore(line_start);
  span.column = static_cast<int>(begin - line_start - hidden) + 1;
  span.begin = begin;
  span.end = std::clamp(end, begin, text_.size());
  return span;
}

LexedText::LexedText(std::string_view text, const engine::StopSignal* stop)
    : text_(text),
      stop_(stop),
      places_(text),
      input_(text),
      lexer_(&input_, stop),
      tokens_(&lexer_) {}

Status LexedText::Check() {
  // The size is checked first, because all other checks cost time and memory in proportion to the
  // text.
  if (text_.size() > limits::kStatementSizeMax) {
    return ErrorAt("TOO_LARGE", SpanAt(0, 0),
                   fmt::format("the statement has {} bytes; the limit is {}", text_.size(),
                               limits::kStatementSizeMax),
                   "use IMPORT for bulk data");
  }
  // The error has no place: columns count characters, which invalid UTF-8 does not have.
  if (!engine::IsUtf8(text_)) {
    return ErrorAt("ENCODING", Span(), "the text is not valid UTF-8",
                   "write other bytes as \\xHH in b'…'");
  }
  // All tokens are read before the parser sees the first. The parser would otherwise recurse into a
  // hostile text while its nesting is still unknown.
  tokens_.fill();
  for (const auto& token : tokens_.getTokens()) {
    RETURN_IF_ERROR(CheckToken(*token));
  }
  return OkStatus();
}

Status LexedText::CheckToken(const antlr4::Token& token) {
  switch (token.getType()) {
    case SipparLexer::OPEN_STRING:
      return ErrorAt("UNTERMINATED", SpanAt(token.getStartIndex(), token.getStartIndex() + 1),
                     fmt::format("string opened at line {} column {} is not closed",
                                 SpanOf(token).line, SpanOf(token).column));
    case SipparLexer::OPEN_COMMENT:
      return ErrorAt("UNTERMINATED", SpanAt(token.getStartIndex(), token.getStartIndex() + 2),
                     fmt::format("comment opened at line {} column {} is not closed",
                                 SpanOf(token).line, SpanOf(token).column));
    case SipparLexer::BAD_NUMBER:
      return ErrorAt("BAD_LITERAL", SpanOf(token),
                     fmt::format("{} is neither a number nor a name", TextOf(token)),
                     "units are us ms s m h d w and B KB MB GB TB KiB MiB GiB TiB");
    case SipparLexer::ANY: {
      // The token is a single byte; the message shows the whole character that it begins.
      size_t begin = token.getStartIndex();
      size_t end = begin + 1;
      while (end < text_.size() && engine::IsContinuation(text_[end])) ++end;
      std::string_view shown = text_.substr(begin, end - begin);
      if (shown == "`") {
        return ErrorAt("UNTERMINATED", SpanAt(begin, end), "name in backquotes is not closed");
      }
      return ErrorAt("SYNTAX", SpanAt(begin, end), fmt::format("unexpected '{}'", shown),
                     static_cast<unsigned char>(shown[0]) >= 0x80
                         ? "put text into quotes and unusual names into backquotes"
                         : "");
    }
    default:
      return token.getChannel() == antlr4::Token::DEFAULT_CHANNEL ? CheckNesting(token)
                                                                  : OkStatus();
  }
}

Status LexedText::CheckNesting(const antlr4::Token& token) {
  nesting_.Take(token.getType());
  if (nesting_.depth() <= limits::kNestingMax) return OkStatus();
  return ErrorAt("TOO_DEEP", SpanOf(token),
                 fmt::format("the statement is nested deeper than {} levels", limits::kNestingMax));
}

std::vector<const antlr4::Token*> LexedText::VisibleTokens() {
  tokens_.fill();
  std::vector<const antlr4::Token*> visible;
  for (const auto& token : tokens_.getTokens()) {
    if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL) visible.push_back(token);
  }
  return visible;
}

Span LexedText::SpanOf(const antlr4::Token& token) const { return SpanOf(token, token); }

Span LexedText::SpanOf(const antlr4::Token& first, const antlr4::Token& last) const {
  if (first.getType() == antlr4::Token::EOF) return SpanAt(text_.size(), text_.size());
  return SpanAt(first.getStartIndex(), last.getStopIndex() + 1);
}

std::string_view LexedText::TextOf(const antlr4::Token& token) const {
  if (token.getType() == antlr4::Token::EOF) return {};
  return text_.substr(token.getStartIndex(), token.getStopIndex() + 1 - token.getStartIndex());
}

}  // namespace sippar::query
