// The list of keywords that the printer uses is the grammar's.
// SPDX-License-Identifier: Apache-2.0
#include "query/syntax/keywords.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "query/parse/parse.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

TEST(Keywords, AreThoseOfTheLexer) {
  std::ifstream lexer(SIPPAR_EXAMPLES "/../SipparLexer.g4");
  std::set<std::string> words;
  // A keyword that is another spelling takes the type of the first one: -> type(TRY_CAST).
  std::regex rule("([A-Z_]+) +: ([A-Z](?: (?:[A-Z]|'_'))+)(?: -> type\\([A-Z_]+\\))?;.*");
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

TEST(Keywords, ANameThatIsAKeywordIsPrintedAsAName) {
  for (const std::string& word : Keywords()) {
    const std::string name = "`" + word + "`";
    for (const std::string& text :
         {"SELECT 1 FROM " + name,
          "SELECT " + name + ", x." + name + " AS " + name + " FROM t AS x",
          "SELECT " + name + ":q FROM t", "SELECT " + name + "(1, 2)",
          "CREATE TABLE " + name + " (FAMILY " + name + ", LOCALITY GROUP " + name + " (" + name +
              "))",
          "SELECT 1 FROM t AS " + name, "SET " + name + " = 1",
          "ATOMIC ON " + name + " ROW 'r' { LET " + name + " = 1; RETURN " + name + "; }"}) {
      auto first = ParseStatement(text);
      ASSERT_TRUE(first.ok()) << text << ": " << first.status();
      const std::string printed = Print(*first);
      auto second = ParseStatement(printed);
      ASSERT_TRUE(second.ok()) << text << " printed " << printed << ": " << second.status();
      EXPECT_TRUE(*first == *second) << text << " printed " << printed;
    }
  }
}

}  // namespace
}  // namespace sippar::query
