// Finds where statements end, by the lexer alone: at a ";" outside of tokens and outside of { }.
// Used by the shell's Enter key, by scripts and by the option -e. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sippar::query {

enum class Completeness {
  kComplete,   // there is a statement or shell command, and no statement lacks its ";"
  kNeedsMore,  // a statement lacks its ";"
  kInString,   // the text ends inside quotes
  kInComment,  // the text ends inside /* */
  kInBraces,   // the text ends inside { }
  kEmpty,      // there are only blanks and comments
};

struct StatementText {
  std::string_view text;  // the statement without its ";"
  size_t offset = 0;      // offset of `text` in the split text
  int line = 1;           // line of its first character, from 1
  bool meta = false;      // it is a shell command: a line that begins with a backslash
};

struct SplitResult {
  std::vector<StatementText> statements;      // complete statements, none of them empty
  StatementText rest;                         // the text after the last ";"
  Completeness state = Completeness::kEmpty;  // state of `rest`; never kComplete
};

// `text` must end at the end of a line or be the whole text: a cut within a line could split a
// regex literal, and a ";" of the regex would then end the statement.
SplitResult SplitStatements(std::string_view text);

// The state of all the text typed so far. The shell's Enter key runs the text if it is kComplete.
Completeness CompletenessOf(std::string_view text);

}  // namespace sippar::query
