// Where a statement ends, decided by the lexer alone: ";" outside tokens and outside { }. Used by
// the shell's Enter key, by scripts and by the -e option. Thread safe. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sippar::query {

enum class Completeness {
  kComplete,   // nothing is open
  kNeedsMore,  // a statement without its ";"
  kInString,   // inside quotes
  kInComment,  // inside /* */
  kInBraces,   // inside { }
  kEmpty,      // blanks and comments only
};

struct StatementText {
  std::string_view text;  // without the ";"
  size_t offset = 0;      // of `text` in the split text
  int line = 1;           // of its first character, from 1
  bool meta = false;      // a line beginning with a backslash (shell command)
};

struct SplitResult {
  std::vector<StatementText> statements;      // complete ones, none empty
  StatementText rest;                         // behind the last ";"
  Completeness state = Completeness::kEmpty;  // of `rest`: kComplete is not among them
};

// `text` must end at a line's end or be all there is: a regex literal never spans lines.
SplitResult SplitStatements(std::string_view text);

// What Enter should do with the text typed so far.
Completeness CompletenessOf(std::string_view text);

}  // namespace sippar::query
