// Bytes as text, escaped by the rules of each use.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/escape.h"

#include <gtest/gtest.h>

#include "engine/base/hex.h"
#include "engine/base/printable.h"

namespace sippar::engine {
namespace {

// Contains é, U+202E, and a byte that is not UTF-8.
constexpr std::string_view kAll("a\\\"\n\xc3\xa9\xe2\x80\xae\xff", 10);

TEST(EscapeBytes, KeepsWhatTheRulesName) {
  EXPECT_EQ(PrintableBytes(kAll), "a\\x5c\"\\x0a\\xc3\\xa9\\xe2\\x80\\xae\\xff");
  EXPECT_EQ(QuotedBytes(kAll), "\"a\\x5c\\x22\\x0a\\xc3\\xa9\\xe2\\x80\\xae\\xff\"");
  EXPECT_EQ(EscapeBytes(kAll, {}), "a\\\"\\x0a\xc3\xa9\\xe2\\x80\\xae\\xff");
  EXPECT_EQ(EscapeBytes(kAll, {.kept = EscapeRules::kUtf8, .letters = "\nn\\\\"}),
            "a\\\\\"\\n\xc3\xa9\xe2\x80\xae\\xff");
}

TEST(Hex, BothWays) {
  std::string text;
  AppendHex(std::string_view("\x00\xaf", 2), &text);
  AppendHex("\xaf", &text, kUpperHex);
  EXPECT_EQ(text, "00afAF");
  EXPECT_EQ(HexByte(text, 2), 0xaf);
  EXPECT_EQ(HexByte(text, 4), 0xaf);
  EXPECT_EQ(HexByte(text, 5), -1);
  EXPECT_EQ(HexByte("0g", 0), -1);
}

}  // namespace
}  // namespace sippar::engine
