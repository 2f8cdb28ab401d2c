// Finds what may follow at the caret: the keywords that the grammar allows, and the kinds of names.
// The shell fills in the names themselves. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sippar::query {

struct Completion {
  size_t word_begin = 0;  // offset at which the word under the caret begins
  // All keywords that are allowed at word_begin, in upper case. Many of them do not begin with the
  // letters that the user has typed so far.
  std::vector<std::string> keywords;
  // Kinds of names that are allowed.
  bool table = false;
  bool family = false;
  bool group = false;
  bool pattern = false;  // column pattern
  bool value = false;    // expression: names, functions, columns
  bool setting = false;
  bool show = false;    // name after SHOW
  bool format = false;  // name after FORMAT

  bool in_string = false;  // the caret is inside quotes
  std::string table_name;  // table of the statement; "" if not known
};

// `text` is everything typed so far; `caret` is an offset in it.
Completion CompleteAt(std::string_view text, size_t caret);

}  // namespace sippar::query
