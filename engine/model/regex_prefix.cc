// SPDX-License-Identifier: Apache-2.0
#include "engine/model/regex_prefix.h"

#include <cctype>
#include <utility>

namespace sippar::engine {
namespace {

bool IsAt(std::string_view pattern, size_t at, char c) {
  return at < pattern.size() && pattern[at] == c;
}

// The index of the ] that ends the character class whose [ is at `begin`; npos if the class has no
// end, or contains [:alpha:] or \Q, after which a ] may not end the class.
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

// The index after the repetition {2}, {2,} or {2,3} whose { is at `begin`. If no repetition begins
// there, the { is an ordinary character, and the result is the index after it.
size_t EndOfRepetition(std::string_view pattern, size_t begin) {
  const size_t end = pattern.find_first_not_of("0123456789,", begin + 1);
  return IsAt(pattern, end, '}') ? end + 1 : begin + 1;
}

// Drops a whole character of UTF-8; where the regex is one of bytes, that is more than needed.
void DropLastCharacter(std::string* text) {
  while (!text->empty() && (static_cast<unsigned char>(text->back()) & 0xC0) == 0x80) {
    text->pop_back();
  }
  if (!text->empty()) text->pop_back();
}

// Collects the literal characters of a regex outside its groups. Each Take function consumes the
// element at `at_`; it returns false if this scan does not support the element.
class LiteralScan {
 public:
  explicit LiteralScan(std::string_view pattern) : pattern_(pattern) {}

  bool Run() {
    while (at_ < pattern_.size()) {
      if (!(pattern_[at_] == '\\' ? TakeEscape() : TakeCharacter())) return false;
    }
    EndRun();
    return true;
  }
  std::string TakeLongest() { return std::move(longest_); }
  bool whole() const { return whole_; }

 private:
  bool TakeEscape() {
    const char c = at_ + 1 < pattern_.size() ? pattern_[at_ + 1] : 'Q';
    at_ += 2;
    if (std::ispunct(static_cast<unsigned char>(c))) return TakeLiteral(c);
    EndRun();
    whole_ = false;
    // These letters are character classes and assertions. All other letters have arguments, such as
    // \x41, or are rare.
    return std::string_view("dwsDWSbBAz").find(c) != std::string_view::npos;
  }

  bool TakeCharacter() {
    const char c = pattern_[at_];
    if (std::string_view("*?+{.[()|^$").find(c) == std::string_view::npos) {
      ++at_;
      return TakeLiteral(c);
    }
    whole_ = false;
    // *, ? and { allow zero repetitions of the character before them, so a match may lack it.
    if (c == '*' || c == '?' || c == '{') DropLastCharacter(&run_);
    EndRun();
    depth_ += c == '(' ? 1 : c == ')' ? -1 : 0;
    size_t end = at_ + 1;
    if (c == '{') end = EndOfRepetition(pattern_, at_);
    if (c == '[') end = EndOfClass(pattern_, at_);
    if (end == std::string_view::npos || (c == '|' && depth_ == 0)) return false;
    at_ = c == '[' ? end + 1 : end;
    // (?i) and other flags change the meaning of the rest; (?: only begins a group.
    return c != '(' || !IsAt(pattern_, at_, '?') || IsAt(pattern_, at_ + 1, ':');
  }

  bool TakeLiteral(char c) {
    if (depth_ == 0) run_.push_back(c);
    return true;
  }
  void EndRun() {
    if (run_.size() > longest_.size()) longest_ = run_;
    run_.clear();
  }

  const std::string_view pattern_;
  size_t at_ = 0;
  int depth_ = 0;  // depth of nested groups; their text is skipped, since a group may be optional
  bool whole_ = true;
  std::string run_, longest_;
};

}  // namespace

std::string LiteralInside(std::string_view pattern, bool* whole) {
  LiteralScan scan(pattern);
  const bool is_understood = scan.Run();
  *whole = is_understood && scan.whole();
  return is_understood ? scan.TakeLongest() : std::string();
}

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
      if (std::string_view("*?{").find(c) != std::string_view::npos) DropLastCharacter(&head);
      return head;
    }
    head.push_back(c);
  }
  *whole = true;
  return head;
}

}  // namespace sippar::engine
