// Counts how deep the parser will recurse at each token of a statement, before the parser runs.
// Pure: it sees types of tokens and knows the grammar's words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace sippar::query {

// Counts what the parser recurses on: brackets and CASE until they are closed, prefix operators
// (NOT - + ~), the IFs after ELSE, and EXPLAIN. If the grammar refuses the text, the count is
// correct up to the first wrong token, where the parser ends.
class Nesting {
 public:
  Nesting() : levels_(1) {}
  // Takes the next token that the parser sees.
  void Take(size_t token_type);
  size_t depth() const { return depth_; }

 private:
  // The tokens between an opening token and its closing token. The first level is the whole
  // statement.
  struct Level {
    size_t closer = 0;  // type of the token that closes the level; 0: none
    // Most prefix operators in a row, at least 1. The first operator of a run does not count in
    // `depth`.
    size_t longest_run = 1;
    size_t else_ifs = 0;  // ELSE IFs of the IF chain that is being read
    size_t depth = 0;     // what the level adds to depth_
  };

  void CountPrefix(size_t token_type);
  void CountElseIf(size_t token_type);
  void OpenOrClose(size_t token_type);

  std::vector<Level> levels_;
  size_t depth_ = 0;     // sum of the depths of all levels
  size_t run_ = 0;       // prefix operators directly before the next token
  size_t previous_ = 0;  // the type of the last token; 0 for a word after a dot or AS
};

}  // namespace sippar::query
