// The text that a regex requires; searching for that text first must not change the result.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <array>

#include "engine/base/random.h"
#include "engine/model/bytes_regex.h"
#include "engine/model/re2_options.h"
#include "engine/model/regex_prefix.h"
#include "engine/model/search_regex.h"
#include "engine/model/whole_regex.h"

namespace sippar::engine {
namespace {

TEST(LiteralInside, IsTheLongestRunOfCharacters) {
  struct Case {
    const char* pattern;
    const char* literal;
    bool whole;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"lemon", "lemon", true},
           {"a\\.b\\*", "a.b*", true},
           {"lemon[0-9]+7 ", "lemon", false},
           {"^lemon$", "lemon", false},
           {"ab?cde", "cde", false},
           {"abc*de+f", "ab", false},
           {"ab{2,3}cd{1}", "a", false},
           {"ab{cd", "cd", false},
           {"a(bcd)?ef", "ef", false},
           {"(?:bcd|x)ef", "ef", false},
           {"[]a]bc[^]x]", "bc", false},
           {"a\\d\\bbc", "bc", false},
           {"x.*", "x", false},
           // Constructs that are not analysed: no text is required.
           {"ab|cd", "", false},
           {"(?i)ab", "", false},
           {"a(?P<n>b)", "", false},
           {"\\Qa|b\\E", "", false},
           {"a\\x41b", "", false},
           {"a\\pNb", "", false},
           {"[[:alpha:]]b", "", false},
           {".*", "", false},
           {"", "", true},
       }) {
    bool whole = false;
    EXPECT_EQ(LiteralInside(c.pattern, &whole), c.literal) << c.pattern;
    EXPECT_EQ(whole, c.whole) << c.pattern;
  }
}

// Patterns and texts use few characters, so that many texts match.
TEST(SearchRegex, FindsWhatRe2Finds) {
  constexpr std::array kParts = {"a", "b",    "ab", "a",  "b",   "*",     "+",   "?",
                                 ".", "^",    "$",  "(",  ")",   "(?:",   "|",   "[ab",
                                 "]", "{2}",  "{",  "}",  "\\.", "\\x61", "\\d", "(?i)",
                                 "-", "{,1}", "*?", "[^", "\\Q", "\\E",   "\\b", "{1,}"};
  Random random(7);
  int valid = 0, found = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string pattern;
    for (uint64_t i = random.Uniform(8) + 1; i > 0; --i) {
      pattern += kParts[random.Uniform(kParts.size())];
    }
    const bool case_insensitive = random.Uniform(4) == 0;
    auto regex = SearchRegex::Compile(pattern, case_insensitive);
    if (!regex.ok()) continue;
    ++valid;
    const RE2 expected(pattern, RegexOptions(case_insensitive, RegexUnit::kByte));
    for (int t = 0; t < 8; ++t) {
      std::string text;
      for (uint64_t i = random.Uniform(7); i > 0; --i) text += "aabAB.-{1\n"[random.Uniform(10)];
      StopBudget budget;
      auto answer = (*regex)->Found(text, &budget);
      ASSERT_TRUE(answer.ok());
      EXPECT_EQ(*answer, RE2::PartialMatch(text, expected)) << pattern << " in " << text;
      found += *answer ? 1 : 0;
    }
  }
  EXPECT_GT(valid, 2'000);
  EXPECT_GT(found, 2'000);
}

// RE2 of Debian 12 found none of these (re2_options.h).
TEST(SearchRegex, AlternativesMayShareAByteThatIsNotAscii) {
  for (const char* pattern :
       {"\xc3\xa4|\xc3\xb6", "(\xc3\xa4|\xc3\xb6)x?", "^(\xc3\xa4|\xc3\xb6)",
        "\\xc3\\xa4|\\xc3\\xb6", "\\303\\244|\\303\\266", "(?i)\xc3\xa4|\xc3\xb6"}) {
    auto regex = SearchRegex::Compile(pattern, false);
    ASSERT_TRUE(regex.ok()) << regex.status();
    StopBudget budget;
    EXPECT_TRUE(*(*regex)->Found("\xc3\xa4", &budget)) << pattern;
    EXPECT_TRUE(*(*regex)->Found("\xc3\xb6", &budget)) << pattern;
    EXPECT_FALSE(*(*regex)->Found("\xc3\xbc", &budget)) << pattern;
    auto names = BytesRegex::Compile(pattern);
    ASSERT_TRUE(names.ok());
    EXPECT_TRUE((*names)->Found("\xc3\xb6")) << pattern;
    auto whole = WholeRegex::Compile(pattern);
    ASSERT_TRUE(whole.ok());
    EXPECT_TRUE((*whole)->Matches("\xc3\xb6")) << pattern;
  }
  // The message shows the regex as the caller wrote it.
  EXPECT_THAT(SearchRegex::Compile("\xc3\xa4|(", false).status().message(),
              ::testing::HasSubstr("regex /\xc3\xa4|(/"));
}

TEST(SearchRegex, TextIsMatchedByCharacters) {
  auto regex = [](const char* pattern) {
    return *SearchRegex::Compile(pattern, false, RegexUnit::kCharacter);
  };
  StopBudget budget;
  EXPECT_TRUE(*regex("^.$")->Found("\xc3\xa9", &budget));
  EXPECT_FALSE(*regex("[\xc3\xa4\xc3\xb6]")->Found("\xc3\xa9", &budget));
  EXPECT_TRUE(*regex("(?i)\xc3\xa4")->Found("\xc3\x84", &budget));
  EXPECT_TRUE(*regex("ab\xc3\xa9?")->Found("ab", &budget));
  EXPECT_EQ(*regex("")->ReplaceAll("T\xe2\x82\xac"
                                   "T",
                                   "-", &budget),
            "-T-\xe2\x82\xac-T-");
  const std::vector<RegexMatch> dots = *regex(".")->Matches("\xc3\xa4\xc3\xb6", 0, 9, &budget);
  ASSERT_EQ(dots.size(), 2u);
  EXPECT_EQ(dots[1].begin, 2u);
  EXPECT_EQ(dots[1].end, 4u);
}

TEST(SearchRegex, AGroupMayTakeNoPart) {
  StopBudget budget;
  auto regex = *SearchRegex::Compile("(x)?abc", false);
  EXPECT_FALSE(regex->Extract("abc", std::nullopt, &budget)->has_value());
  EXPECT_EQ(**regex->Extract("abc", 0, &budget), "abc");
  const std::vector<RegexMatch> matches = *regex->Matches("abc xabc", 0, 9, &budget);
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_FALSE(matches[0].has_part);
  EXPECT_TRUE(matches[1].has_part);
  EXPECT_EQ((*SearchRegex::Compile("a*", false))->Matches("aabca", 0, 9, &budget)->size(), 4u);
}

}  // namespace
}  // namespace sippar::engine
