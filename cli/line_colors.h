// The colours of the line that is typed at the prompt: keywords, texts in quotes, comments, and
// what is not yet closed. Pure functions; line_editor.cc writes their bytes to the terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "query/parse/token_kinds.h"

namespace sippar::cli {

// The spans of `line`, as offsets in it. `before`: the lines typed before it, which may have left a
// text or a comment open. A line that is a shell command has no spans.
std::vector<query::TokenSpan> SpansOfLine(std::string_view before, std::string_view line);

// The columns that a character takes; below 0 if they are not known.
using CharacterWidth = int (*)(uint32_t code);

// True if `prompt` and `text` are printable and take at most `columns` - 1 columns, so that they
// and the cursor behind them stand on one line of the screen.
bool FitsOneLine(std::string_view prompt, std::string_view text, size_t columns,
                 CharacterWidth width);

// The bytes that draw `prompt` and `text` in the colours of `spans` over a screen line that already
// shows them. The cursor stays where it is.
std::string PaintOver(std::string_view prompt, std::string_view text,
                      const std::vector<query::TokenSpan>& spans);

}  // namespace sippar::cli
