// SPDX-License-Identifier: Apache-2.0
#include "query/parse/split.h"

#include <algorithm>
#include <cctype>

#include "query/parse/lexed_text.h"

namespace sippar::query {
namespace {

using antlr4::Token;

// Characters that are in no string, comment, regex, quoted name, shell command or brace, whatever
// surrounds them.
bool IsPlain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view(" \t\r\n_.,:@=+*()<>%[]").find(c) != std::string_view::npos;
}

// Returns the index of the quote that ends the string whose first quote is at `begin`; npos if the
// string has no closing quote.
size_t EndOfString(std::string_view text, size_t begin) {
  for (size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '\'') return at;  // a doubled quote ends a string and begins the next
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

// Returns the index of the first ";" from `begin` on; npos if there is none, or if anything but
// plain characters and strings comes before it.
size_t EndOfPlain(std::string_view text, size_t begin) {
  for (size_t at = begin; at < text.size(); ++at) {
    if (text[at] == ';') return at;
    if (text[at] == '\'') {
      // A letter before the quote may make it a raw string, which has no escapes.
      const char before = at == begin ? ' ' : text[at - 1];
      if (std::isalnum(static_cast<unsigned char>(before)) != 0) return std::string_view::npos;
      at = EndOfString(text, at);
      if (at == std::string_view::npos) return at;
    } else if (text[at] == '-') {
      if (text.substr(at + 1).starts_with('-')) return std::string_view::npos;  // a comment
    } else if (!IsPlain(text[at])) {
      return std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text), input_(text), lexer_(&input_) {}

  SplitResult Run() {
    while (true) {
      if (!open_ && depth_ == 0 && TakePlain()) continue;
      auto token = lexer_.nextToken();
      if (token->getType() == Token::EOF) break;
      if (token->getChannel() == Token::DEFAULT_CHANNEL) Take(*token);
    }
    // Take sets state_ at an unclosed quote or comment. The lexer returns this as one token up to
    // the end of the text, so it is the last token. It takes precedence over open braces.
    if (open_) {
      result_.rest = Cut(start_, text_.size(), false);
      result_.state = state_;
      if (state_ == Completeness::kEmpty) {
        result_.state = depth_ > 0 ? Completeness::kInBraces : Completeness::kNeedsMore;
      }
    } else {
      result_.rest = Cut(text_.size(), text_.size(), false);
      result_.state = Completeness::kEmpty;
    }
    return std::move(result_);
  }

 private:
  // Makes a statement of the text from `begin` to `end`. `begin` grows from call to call, so each
  // call counts only the lines since the last `begin`, and all calls together read the script once.
  StatementText Cut(size_t begin, size_t end, bool meta) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<ptrdiff_t>(counted_),
                                         text_.begin() + static_cast<ptrdiff_t>(begin), '\n'));
    counted_ = begin;
    return {text_.substr(begin, end - begin), begin, line_, meta};
  }

  // Takes the statement at the lexer's position up to its ";", if it has only words, signs and
  // plain strings. In such a text the next ";" outside of a string is the one that the lexer would
  // find, and the lexer takes twenty times as long. Scripts have many such statements.
  bool TakePlain() {
    const size_t from = input_.index();
    const size_t begin = std::min(text_.find_first_not_of(" \t\r\n", from), text_.size());
    const size_t end = EndOfPlain(text_, begin);
    if (end == std::string_view::npos) return false;
    if (end > begin) result_.statements.push_back(Cut(begin, end, false));
    input_.seek(end + 1);
    return true;
  }

  void Take(const Token& token) {
    size_t at = token.getStartIndex();
    switch (token.getType()) {
      case SipparLexer::OPEN_COMMENT:
        state_ = Completeness::kInComment;
        break;
      case SipparLexer::OPEN_STRING:
        state_ = Completeness::kInString;
        break;
      case SipparLexer::LBRACE:
        ++depth_;
        break;
      case SipparLexer::RBRACE:
        depth_ = std::max(depth_ - 1, 0);  // a stray } must not hide the next ";"
        break;
      case SipparLexer::SEMI:
        // Within the braces of ATOMIC a semicolon separates the statements of the block. The
        // grammar has braces rather than END so that the lexer alone can find the end of the block.
        if (depth_ > 0) break;
        // Two semicolons in a row have no statement between them.
        if (open_) result_.statements.push_back(Cut(start_, at, false));
        open_ = false;
        return;
      default:
        // A backslash inside a statement is an unknown character, which the parser reports at its
        // place. Only where a statement could begin does it start a command of the shell.
        if (!open_ && text_[at] == '\\') {
          TakeMetaLine(at);
          return;
        }
    }
    if (!open_) start_ = at;
    open_ = true;
  }

  // A shell command is one line with rules of its own, so the lexer continues after that line.
  void TakeMetaLine(size_t at) {
    size_t end = std::min(text_.find('\n', at), text_.size());
    size_t trimmed = end;
    while (trimmed > at && (text_[trimmed - 1] == '\r' || text_[trimmed - 1] == ' ')) --trimmed;
    result_.statements.push_back(Cut(at, trimmed, true));
    input_.seek(end);
  }

  std::string_view text_;
  ByteStream input_;
  SilentLexer lexer_;
  SplitResult result_;
  Completeness state_ = Completeness::kEmpty;
  size_t start_ = 0;
  size_t counted_ = 0;
  int line_ = 1;
  int depth_ = 0;
  bool open_ = false;
};

}  // namespace

SplitResult SplitStatements(std::string_view text) { return Splitter(text).Run(); }

Completeness CompletenessOf(std::string_view text) {
  SplitResult split = SplitStatements(text);
  bool complete = split.state == Completeness::kEmpty && !split.statements.empty();
  return complete ? Completeness::kComplete : split.state;
}

}  // namespace sippar::query
