// The spans of the typed line, whether it fits one line of the screen, and the bytes that colour
// it.
// SPDX-License-Identifier: Apache-2.0
#include "cli/line_colors.h"

#include <gtest/gtest.h>

namespace sippar::cli {
namespace {

using query::TokenKind;
using Spans = std::vector<query::TokenSpan>;

int Width(uint32_t code) {
  if (code == 0x301) return 0;                     // a combining accent
  if (code == 0xe000) return -1;                   // a character of unknown width
  return code >= 0x4e00 && code < 0xa000 ? 2 : 1;  // CJK characters
}

TEST(LineColors, SpansAreOffsetsInTheLine) {
  EXPECT_EQ(SpansOfLine("", "SELECT f"), (Spans{{0, 6, TokenKind::kKeyword}}));
  EXPECT_EQ(SpansOfLine("SELECT f\n", "FROM t"), (Spans{{0, 4, TokenKind::kKeyword}}));
  EXPECT_EQ(SpansOfLine("SELECT 'a\n", "b' FROM"),
            (Spans{{0, 2, TokenKind::kQuoted}, {3, 7, TokenKind::kKeyword}}));
  EXPECT_EQ(SpansOfLine("/* a\n", "FROM"), (Spans{{0, 4, TokenKind::kOpen}}));
}

TEST(LineColors, AShellCommandHasNoSpans) {
  EXPECT_EQ(SpansOfLine("", "\\echo FROM 'it"), Spans{});
  EXPECT_EQ(SpansOfLine("SELECT 1\n", " \\d row"), Spans{});
  // Inside a text the line is a part of the text.
  EXPECT_EQ(SpansOfLine("SELECT 'a\n", "\\d row"), (Spans{{0, 6, TokenKind::kOpen}}));
}

TEST(LineColors, LongTextHasNoSpans) {
  EXPECT_EQ(SpansOfLine(std::string(1 << 20, ' '), "SELECT"), Spans{});
}

TEST(LineColors, OneLineHasAColumnForTheCursor) {
  EXPECT_TRUE(FitsOneLine("> ", "abc", 6, Width));
  EXPECT_FALSE(FitsOneLine("> ", "abcd", 6, Width));
  EXPECT_TRUE(FitsOneLine("> ", "日e\u0301", 6, Width));
  EXPECT_FALSE(FitsOneLine("> ", "日本", 6, Width));
  EXPECT_FALSE(FitsOneLine("> ", "", 0, Width));
}

TEST(LineColors, WhatMayTakeOtherColumnsDoesNotFit) {
  for (std::string_view text : {"a\nb", "a\tb", "\x01", "\xff", "\xe6\x97", "\uE000"}) {
    EXPECT_FALSE(FitsOneLine("> ", text, 80, Width)) << text;
  }
}

TEST(LineColors, PaintingKeepsTheCursor) {
  EXPECT_EQ(PaintOver("> ", "a SELECT 'b' ", SpansOfLine("", "a SELECT 'b' ")),
            "\0337\r\x1b[0m> a \x1b[1mSELECT\x1b[0m \x1b[32m'b'\x1b[0m \0338");
  EXPECT_EQ(PaintOver("> ", "x", {}), "\0337\r\x1b[0m> x\0338");
}

}  // namespace
}  // namespace sippar::cli
