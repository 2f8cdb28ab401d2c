// Keywords, quoted texts and comments of texts that may be incomplete.
// SPDX-License-Identifier: Apache-2.0
#include "query/parse/token_kinds.h"

#include <gtest/gtest.h>

#include <string>

namespace sippar::query {
namespace {

// The spans of `text` as "k:SELECT q:'a'".
std::string Kinds(std::string_view text) {
  std::string out;
  for (const TokenSpan& span : FindTokenKinds(text)) {
    if (!out.empty()) out += ' ';
    out += "kqco"[static_cast<size_t>(span.kind)];
    out += ':';
    out += text.substr(span.begin, span.end - span.begin);
  }
  return out;
}

TEST(TokenKinds, KeywordsInAnyCase) {
  EXPECT_EQ(Kinds("select f:q From web"), "k:select k:From");
  EXPECT_EQ(Kinds("SELECTED `from` @from from:a 12"), "");
}

TEST(TokenKinds, QuotedTexts) {
  EXPECT_EQ(Kinds("'it''s' \"b\" r'\\' b'\\x00'"), "q:'it''s' q:\"b\" q:r'\\' q:b'\\x00'");
  EXPECT_EQ(Kinds("a ~ /b c/i"), "q:/b c/i");
}

TEST(TokenKinds, Comments) {
  EXPECT_EQ(Kinds("a -- from\nb # c\n/* from */"), "c:-- from c:# c c:/* from */");
}

TEST(TokenKinds, WhatIsOpenReachesToTheEnd) {
  EXPECT_EQ(Kinds("FROM 'a from"), "k:FROM o:'a from");
  EXPECT_EQ(Kinds("FROM /* a from"), "k:FROM o:/* a from");
  EXPECT_EQ(Kinds("FROM `a from"), "k:FROM o:`a from");
  EXPECT_EQ(Kinds("anchor:'a"), "o:'a");
}

TEST(TokenKinds, SpansAreBytes) {
  EXPECT_EQ(Kinds("'ä' FROM"), "q:'ä' k:FROM");
  EXPECT_EQ(Kinds("\xff FROM"), "k:FROM");
  EXPECT_EQ(Kinds(""), "");
}

}  // namespace
}  // namespace sippar::query
