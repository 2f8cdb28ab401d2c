// The prompt: readline behind an interface of our own, with its callback form in a poll loop, so
// that Ctrl-C clears the input and never ends the shell. The buffer holds the whole statement, with
// its newlines; Enter runs it when it is complete. One per process (readline has globals).
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

struct LineEditorHooks {
  std::function<bool(std::string_view)> complete;  // may Enter run this text?
  std::function<Candidates(std::string_view text, size_t caret)> candidates;
};

enum class LineEvent { kText, kInterrupt, kEnd };

class LineEditor {
 public:
  explicit LineEditor(LineEditorHooks hooks);
  ~LineEditor();
  // The text of the next statement in *text. kInterrupt: Ctrl-C, *text is what was thrown away.
  LineEvent Read(const std::string& prompt, std::string* text);

 private:
  LineEvent Wait();
  LineEditorHooks hooks_;
};

}  // namespace sippar::cli
