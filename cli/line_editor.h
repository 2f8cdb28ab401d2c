// The prompt: readline behind an interface of our own, with its callback form in a poll loop, so
// that Ctrl-C clears the input and never ends the shell. Enter gives what is in the buffer, which
// holds several lines after Alt-Enter, a paste, or a step back in the history. One per process
// (readline has globals).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sippar::cli {

// Words that may replace text[begin, caret).
struct Candidates {
  size_t begin = 0;
  std::vector<std::string> words;
  bool no_space = false;  // after a single match: the word goes on (anchor:)
  bool files = false;     // file names instead
};

using FindCandidatesHook = std::function<Candidates(std::string_view text, size_t caret)>;

enum class LineEvent { kText, kInterrupt, kEnd };

class LineEditor {
 public:
  explicit LineEditor(FindCandidatesHook candidates);
  ~LineEditor();
  // What was typed in *text. kInterrupt: Ctrl-C, now or since the
  // pipe of signals.h was drained; *text is what was thrown away.
  LineEvent Read(const std::string& prompt, std::string* text);

 private:
  LineEvent Wait();
  FindCandidatesHook candidates_;
};

}  // namespace sippar::cli
