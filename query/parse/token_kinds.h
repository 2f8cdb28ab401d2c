// Says which parts of a text are keywords, texts in quotes and comments, for a display with
// colours. The text may be incomplete or wrong. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sippar::query {

enum class TokenKind : uint8_t {
  kKeyword,
  kQuoted,   // a text or bytes in quotes, or the regex of a test
  kComment,  // a whole comment
  kOpen,     // a quote or comment without its end; it reaches to the end of the text
};

struct TokenSpan {
  size_t begin = 0;  // byte offset
  size_t end = 0;
  TokenKind kind = TokenKind::kKeyword;
  bool operator==(const TokenSpan&) const = default;
};

// The spans of `text` in ascending order. Names, numbers, signs and blanks are in none of them.
std::vector<TokenSpan> FindTokenKinds(std::string_view text);

}  // namespace sippar::query
