// SPDX-License-Identifier: Apache-2.0
#include "engine/model/regex_prefix.h"

#include <cctype>

namespace sippar::engine {
namespace {

bool IsAt(std::string_view pattern, size_t at, char c) {
  return at < pattern.size() && pattern[at] == c;
}

// The index of the ] that ends the class whose [ is at `begin`; npos if the class has no end or a
// part such as [:alpha:] or \Q, whose ] does not end the class around it.
size_t EndOfClass(std::string_view pattern, size_t begin) {
  size_t at = begin + 1;
  // A ] directly after [ or [^ is a member of the class.
  if (IsAt(pattern, at, '^')) ++at;
  if (IsAt(pattern, at, ']')) ++at;
  for (; at < pattern.size(); ++at) {
    if (pattern[at] == ']') return at;
    if (pattern[at] == '[' && IsAt(pattern, at + 1, ':')) return std::string_view::npos;
    if (pattern[at] != '\\') continue;
    if (IsAt(pattern, ++at, 'Q')) return std::string_view::npos;
  }
  return std::string_view::npos;
}

}  // namespace

bool IsAnchoredAtStart(std::string_view pattern) {
  if (pattern.size() < 2 || pattern[0] != '^') return false;
  if (std::string_view("*?+{").find(pattern[1]) != std::string_view::npos) return false;
  int depth = 0;
  for (size_t at = 1; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\') {
      if (IsAt(pattern, ++at, 'Q')) return false;
    } else if (c == '[') {
      at = EndOfClass(pattern, at);
      if (at == std::string_view::npos) return false;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == '|' && depth == 0) {
      return false;
    }
  }
  return true;
}

std::string LiteralHead(std::string_view pattern, bool* whole) {
  std::string head;
  *whole = false;
  for (size_t i = 1; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '\\') {
      // Escaped punctuation stands for itself; escaped letters and digits mean something else.
      if (i + 1 >= pattern.size() || !std::ispunct(static_cast<unsigned char>(pattern[i + 1]))) {
        return head;
      }
      c = pattern[++i];
    } else if (std::string_view("*?{+.[()|^$").find(c) != std::string_view::npos) {
      // A quantifier that allows zero repetitions makes the character before it optional.
      if (std::string_view("*?{").find(c) != std::string_view::npos && !head.empty()) {
        head.pop_back();
      }
      return head;
    }
    head.push_back(c);
  }
  *whole = true;
  return head;
}

}  // namespace sippar::engine
