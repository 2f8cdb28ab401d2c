// What may stand at the caret: keywords by the grammar, and which kinds of names. The shell fills
// in the names. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sippar::query {

struct Completion {
  size_t word_begin = 0;              // where the word under the caret begins
  std::vector<std::string> keywords;  // allowed here, upper case; not yet filtered by the word
  bool table = false;
  bool family = false;
  bool group = false;
  bool pattern = false;  // a column pattern
  bool value = false;    // an expression: names, functions, columns
  bool setting = false;
  bool show = false;
  bool format = false;
  bool in_string = false;  // the caret is inside quotes
  std::string table_name;  // the table of the statement, "" when not known
};

// `text`: everything typed; `caret`: offset in it.
Completion CompleteAt(std::string_view text, size_t caret);

}  // namespace sippar::query
