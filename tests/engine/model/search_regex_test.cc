// The text that a regex requires; searching for that text first must not change the result.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <array>

#include "engine/base/random.h"
#include "engine/model/re2_options.h"
#include "engine/model/regex_prefix.h"
#include "engine/model/search_regex.h"

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
    const RE2 expected(pattern, BytesRegexOptions(case_insensitive));
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

}  // namespace
}  // namespace sippar::engine
