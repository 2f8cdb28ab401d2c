// Turns bytes into text for dumps, terminals and error messages. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sippar::engine {

// Keeps printable ASCII; writes every other byte and the backslash as \xHH.
std::string PrintableBytes(std::string_view bytes);

// The length of the UTF-8 sequence at the start of `text`; 0 when it is malformed, a surrogate,
// overlong, or a control character (U+0080 to U+009F too: they control a terminal as ESC does).
size_t PrintableSequence(std::string_view text);

// True if the sequence is a character that is invisible or changes the direction of the text around
// it: zero-width characters, line and paragraph ends, direction marks (U+202E), tags. They make
// different texts look alike.
bool IsHiddenSequence(std::string_view sequence);

}  // namespace sippar::engine
