// SPDX-License-Identifier: Apache-2.0
#include "engine/model/regex_prefix.h"

#include <cctype>

namespace sippar::engine {

bool IsAnchoredAtStart(std::string_view pattern) {
  if (pattern.size() < 2 || pattern[0] != '^') return false;
  if (std::string_view("*?+{").find(pattern[1]) != std::string_view::npos) return false;
  int depth = 0;
  bool in_class = false;
  for (size_t i = 1; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '\\') {
      if (i + 1 < pattern.size() && pattern[i + 1] == 'Q') return false;
      ++i;
    } else if (in_class) {
      // The ] of a class like [:alpha:] does not end the class around it.
      if (c == '[' && i + 1 < pattern.size() && pattern[i + 1] == ':') return false;
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      // A ] directly after [ or [^ is a member of the class.
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') ++i;
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') ++i;
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
