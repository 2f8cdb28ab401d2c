// Keywords as the grammar has them, see keywords.h. SPDX-License-Identifier: Apache-2.0
#include "query/parse/keywords.h"

#include <algorithm>
#include <cctype>

#include "query/parse/grammar_walk.h"

namespace sippar::query {
namespace {

std::string Upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> HardKeywords() {
  std::vector<std::string> words;
  GrammarWalk name(SipparParser::RuleName);
  for (size_t type = SipparParser::ADD; type <= SipparParser::WITH; ++type) {
    if (!name.Allows(type)) words.push_back(TokenWord(type));
  }
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

const std::vector<std::string>& Keywords() {
  static const auto& words = *new std::vector<std::string>([] {
    std::vector<std::string> all;
    for (size_t type = SipparParser::ADD; type <= SipparParser::WITH; ++type) {
      all.push_back(TokenWord(type));
    }
    std::sort(all.begin(), all.end());
    return all;
  }());
  return words;
}

bool IsKeyword(std::string_view word) {
  return std::binary_search(Keywords().begin(), Keywords().end(), Upper(word));
}

bool IsHardKeyword(std::string_view word) {
  static const auto& words = *new std::vector<std::string>(HardKeywords());
  return std::binary_search(words.begin(), words.end(), Upper(word));
}

}  // namespace sippar::query
