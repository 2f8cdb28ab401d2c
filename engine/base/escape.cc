// SPDX-License-Identifier: Apache-2.0
#include "engine/base/escape.h"

#include <algorithm>

#include "engine/base/hex.h"
#include "engine/base/printable.h"

namespace sippar::engine {
namespace {

// `size` is the result of PrintableSequence for `sequence`: 0 if it is not printable.
bool IsKept(std::string_view sequence, size_t size, const EscapeRules& rules) {
  if (size == 0) return false;
  if (size == 1) return rules.as_hex.find(sequence[0]) == std::string_view::npos;
  if (rules.kept == EscapeRules::kVisible) return !IsHiddenSequence(sequence);
  return rules.kept == EscapeRules::kUtf8;
}

// The letter that replaces `c` after a backslash; 0 if the rules have none for it.
char LetterFor(char c, const EscapeRules& rules) {
  for (size_t i = 0; i + 1 < rules.letters.size(); i += 2) {
    if (rules.letters[i] == c) return rules.letters[i + 1];
  }
  return 0;
}

}  // namespace

std::string EscapeBytes(std::string_view bytes, const EscapeRules& rules) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    size_t size = PrintableSequence(bytes);
    std::string_view sequence = bytes.substr(0, std::max<size_t>(size, 1));
    bytes.remove_prefix(sequence.size());
    if (char letter = LetterFor(sequence[0], rules); letter != 0) {
      text.append({'\\', letter});
    } else if (IsKept(sequence, size, rules)) {
      text.append(sequence);
    } else {
      for (char c : sequence) AppendHex({&c, 1}, &text.append("\\x"));
    }
  }
  return text;
}

std::string QuotedBytes(std::string_view bytes) {
  return '"' + EscapeBytes(bytes, {.kept = EscapeRules::kAscii, .as_hex = "\"\\"}) + '"';
}

}  // namespace sippar::engine
