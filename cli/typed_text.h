// What the shell makes of the text typed at its prompt: words of other shells, a command at the end
// of a statement, the sign of the prompt. Pure functions. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sippar::cli {

// The shell command that a line in the style of other shells means (help, quit, .tables); "" if it
// means none.
std::string CommandOfWord(std::string_view line);

// The sign that ends the prompt. It says what `typed`, the text before this line, has left open:
// "->" a statement, "'>" a text, "*>" a comment, "{>" braces, ">" nothing.
std::string_view PromptSign(std::string_view typed);

// True if `typed` ends inside a text or a comment, where a line may be content.
bool EndsInLiteral(std::string_view typed);

struct CommandAtEnd {
  std::string_view before;   // the text before the command
  std::string_view command;  // "\g out.csv"; "" if the text ends with no command
};

// The command at the end of `text`. Behind a statement only those that work on it may stand, such
// as \g, since a backslash may be part of a regular expression; alone on the last line, any.
CommandAtEnd FindCommandAtEnd(std::string_view text);

}  // namespace sippar::cli
