// The list of keywords that the printer uses is the grammar's. SPDX-License-Identifier: Apache-2.0
#include "query/syntax/keywords.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "query/parse/parse.h"

namespace sippar::query {
namespace {

TEST(Keywords, AreThoseOfTheLexer) {
  std::ifstream lexer(SIPPAR_EXAMPLES "/../SipparLexer.g4");
  std::set<std::string> words;
  std::regex rule("([A-Z_]+) +: ([A-Z](?: (?:[A-Z]|'_'))+);");
  for (std::string line; std::getline(lexer, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, rule)) continue;
    std::string word;
    for (char c : match[2].str()) {
      if (c != ' ' && c != '\'') word.push_back(c);
    }
    words.insert(word);
  }
  EXPECT_EQ(std::set<std::string>(Keywords().begin(), Keywords().end()), words);
}

TEST(Keywords, HardOnesAreNoNames) {
  for (const std::string& word : Keywords()) {
    bool name = ParseStatement("SELECT 1 FROM " + word).ok();
    EXPECT_EQ(name, !IsHardKeyword(word)) << word;
    EXPECT_TRUE(ParseStatement("SELECT 1 AS " + word).ok()) << word;
    EXPECT_TRUE(ParseStatement("SELECT 1 FROM `" + word + "`").ok()) << word;
  }
}

}  // namespace
}  // namespace sippar::query
