// Examines the text typed at the shell's prompt: words of other shells, a command at the end of a
// statement, the sign of the prompt. Pure functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sippar::cli {

// Translates a line in the style of other shells (help, quit, .tables) into a shell command.
// Returns "" for any other line.
std::string CommandOfWord(std::string_view line);

// The sign that ends the prompt. It shows what `typed`, the text before this line, has left open:
// "->" a statement, "'>" a text, "*>" a comment, "{>" braces, ">" nothing.
std::string_view PromptSign(std::string_view typed);

// True if `typed` ends inside a text or a comment, so that the next line may be part of it.
bool EndsInLiteral(std::string_view typed);

struct CommandAtEnd {
  std::string_view before;   // the text before the command
  std::string_view command;  // such as "\g out.csv"; "" if the text does not end with a command
};

// Finds the command at the end of `text`. If the last line begins with a command, any command is
// found. After a statement on the same line, only commands that apply to a statement are found,
// such as \g, because a backslash may be part of a regular expression.
CommandAtEnd FindCommandAtEnd(std::string_view text);

}  // namespace sippar::cli
