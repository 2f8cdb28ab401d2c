// What the shell makes of typed text: words, signs of the prompt, commands at the end of a
// statement.
// SPDX-License-Identifier: Apache-2.0
#include "cli/typed_text.h"

#include <gtest/gtest.h>

namespace sippar::cli {
namespace {

std::string Command(std::string_view text) { return std::string(FindCommandAtEnd(text).command); }
std::string Before(std::string_view text) { return std::string(FindCommandAtEnd(text).before); }

TEST(TypedText, WordsOfOtherShellsAreCommands) {
  EXPECT_EQ(CommandOfWord("help"), "\\?");
  EXPECT_EQ(CommandOfWord(" Quit; "), "\\q");
  EXPECT_EQ(CommandOfWord(".schema web"), "\\d web");
  EXPECT_EQ(CommandOfWord(".mode csv"), "\\mode csv");
  EXPECT_EQ(CommandOfWord("help me"), "");
  EXPECT_EQ(CommandOfWord("SELECT 1;"), "");
}

TEST(TypedText, TheSignSaysWhatIsOpen) {
  EXPECT_EQ(PromptSign(""), ">");
  EXPECT_EQ(PromptSign("SELECT 1;\n"), ">");
  EXPECT_EQ(PromptSign("SELECT\n"), "->");
  EXPECT_EQ(PromptSign("SELECT 'a\n"), "'>");
  EXPECT_EQ(PromptSign("SELECT /* a\n"), "*>");
  EXPECT_EQ(PromptSign("ATOMIC ON t ROW 'r' {\n"), "{>");
}

TEST(TypedText, ACommandMayFollowAStatement) {
  EXPECT_EQ(Command("SELECT 1 \\g\n"), "\\g");
  EXPECT_EQ(Before("SELECT 1 \\g\n"), "SELECT 1 ");
  EXPECT_EQ(Command("SELECT 1\n  FROM web \\gx out.csv\n"), "\\gx out.csv");
  EXPECT_EQ(Command("SELECT 1;\\watch 2\n"), "\\watch 2");
  EXPECT_EQ(Command("SELECT 1\n\\d web\n"), "\\d web");
  EXPECT_EQ(Before("SELECT 1\n\\d web\n"), "SELECT 1\n");
}

TEST(TypedText, ABackslashElsewhereIsContent) {
  EXPECT_EQ(Command("SELECT 'a\n\\g\n"), "");
  EXPECT_EQ(Command("SELECT 'a \\g\n"), "");
  EXPECT_EQ(Command("SELECT /* \\q\n"), "");
  EXPECT_EQ(Command("SELECT f:/a\\.b/ FROM web\n"), "");
  EXPECT_EQ(Command("SELECT 1 \\d web\n"), "");
  // All of a command's line is its own.
  EXPECT_EQ(Command("\\echo a \\g\n"), "\\echo a \\g");
}

}  // namespace
}  // namespace sippar::cli
