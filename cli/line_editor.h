// LineEditor: reads one input at the prompt. Wraps readline's callback interface in a poll loop, so
// that Ctrl-C clears the input and never ends the shell. Enter returns the whole buffer, which has
// several lines after Alt-Enter, a paste, or a step back in the history. A process may have only
// one LineEditor, because readline uses globals. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/parse/token_kinds.h"

namespace sippar::cli {

// The words that may replace text[begin, caret).
struct Candidates {
  size_t begin = 0;
  std::vector<std::string> words;
  // If true, no space is added after a single match, because the word continues (as anchor: does).
  bool no_space = false;
  bool no_quote = false;  // leaves the quote open after a single match
  std::string note;       // text shown at the first press of Tab; the words follow at the second
};

using FindCandidatesHook = std::function<Candidates(std::string_view text, size_t caret)>;

// The parts of the line that have colours; nullopt: the user wants no colours.
using FindColorsHook =
    std::function<std::optional<std::vector<query::TokenSpan>>(std::string_view line)>;

enum class LineEvent { kText, kInterrupt, kEnd };

class LineEditor {
 public:
  LineEditor(FindCandidatesHook candidates, FindColorsHook colors);
  ~LineEditor();
  // Waits for input and stores it in *text. kInterrupt: Ctrl-C was pressed after the last
  // DrainInterruptPipe (signals.h); *text is then the discarded input. kEnd: end of input.
  LineEvent Read(const std::string& prompt, std::string* text);

 private:
  LineEvent Wait();
  FindCandidatesHook candidates_;
  FindColorsHook colors_;
};

}  // namespace sippar::cli
