// SPDX-License-Identifier: Apache-2.0
#include "cli/caret_place.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace sippar::cli {
namespace {

bool IsNameCharacter(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Splits `text` into tokens: words in upper case, and single other characters. A quoted text
// becomes the single token "'".
std::vector<std::string> RoughTokens(std::string_view text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (IsNameCharacter(c)) {
      std::string word;
      for (; i < text.size() && IsNameCharacter(text[i]); ++i) {
        word += static_cast<char>(std::toupper(static_cast<unsigned char>(text[i])));
      }
      tokens.push_back(std::move(word));
      continue;
    }
    ++i;
    if (c == '\'' || c == '"') {
      i = std::min(text.find(c, i), text.size() - 1) + 1;
      tokens.emplace_back("'");
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      tokens.emplace_back(1, c);
    }
  }
  return tokens;
}

bool IsKeyName(const std::string& token) { return token == "ROW" || token == "_KEY"; }

bool IsComparison(const std::string& token) {
  return token == "=" || token == "<" || token == ">" || token == "LIKE" || token == "WITH" ||
         token == "BETWEEN";
}

}  // namespace

QuotedPlace PlaceOfQuote(std::string_view before) {
  std::vector<std::string> tokens = RoughTokens(before);
  if (tokens.empty()) return QuotedPlace::kOther;
  const std::string& last = tokens.back();
  if (tokens.front() == "IMPORT" && last == "FROM") return QuotedPlace::kFile;
  if (tokens.front() == "EXPORT" && last == "TO") return QuotedPlace::kFile;
  if (tokens.front() == "CANCEL" && tokens.size() <= 2) return QuotedPlace::kStatementId;
  const size_t size = tokens.size();
  auto token = [&](size_t from_end) { return from_end <= size ? tokens[size - from_end] : ""; };
  // Matches INSERT INTO t ROW 'k' and BEGIN ROW t 'k'.
  if (last == "ROW" || (token(2) == "ROW" && token(3) == "BEGIN")) return QuotedPlace::kRowKey;
  // Matches row = 'k', row >= 'k', row NOT LIKE 'k' and row STARTS WITH 'k'.
  if (IsComparison(last) && (IsKeyName(token(2)) || IsKeyName(token(3)))) {
    return QuotedPlace::kRowKey;
  }
  if (last == "," && IsKeyName(token(2)) && token(3) == "(" && token(4) == "STARTS_WITH") {
    return QuotedPlace::kRowKey;
  }
  // Matches a list of keys that is still open: row IN ('a', 'k'.
  size_t i = size;
  while (i > 0 && (tokens[i - 1] == "," || tokens[i - 1] == "'")) --i;
  const bool in_list = i >= 3 && tokens[i - 1] == "(" && tokens[i - 2] == "IN";
  if (in_list && (IsKeyName(tokens[i - 3]) || (i >= 4 && IsKeyName(tokens[i - 4])))) {
    return QuotedPlace::kRowKey;
  }
  return QuotedPlace::kOther;
}

std::string SettingToSet(std::string_view before) {
  std::vector<std::string> tokens = RoughTokens(before);
  return tokens.size() == 3 && tokens[0] == "SET" && tokens[2] == "=" ? tokens[1] : "";
}

bool IsBeforeType(std::string_view before) {
  std::vector<std::string> tokens = RoughTokens(before);
  const size_t size = tokens.size();
  const bool is_schema = size > 2 && (tokens[0] == "CREATE" || tokens[0] == "ALTER");
  return is_schema && tokens[size - 2] == "TYPE" && tokens[size - 1] == "=";
}

std::string_view OpenCall(std::string_view before) {
  std::vector<size_t> open;
  for (size_t i = 0; i < before.size(); ++i) {
    const char c = before[i];
    if (c == '\'' || c == '"') {
      i = std::min(before.find(c, i + 1), before.size());
    } else if (c == '(') {
      open.push_back(i);
    } else if (c == ')' && !open.empty()) {
      open.pop_back();
    }
  }
  if (open.empty()) return "";
  size_t end = open.back();
  size_t begin = end;
  while (begin > 0 && IsNameCharacter(before[begin - 1])) --begin;
  return before.substr(begin, end - begin);
}

}  // namespace sippar::cli
