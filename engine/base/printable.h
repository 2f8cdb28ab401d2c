// Bytes as text, for dumps and for people. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sippar::engine {

// Printable ASCII stays; every other byte and the backslash become \xHH.
std::string PrintableBytes(std::string_view bytes);

// Length of the UTF-8 sequence that `text` begins with; 0 when it is broken, a surrogate, overlong,
// or a control character (also U+0080 to U+009F, which drive terminals as ESC does).
size_t PrintableSequence(std::string_view text);

// Is this one sequence a character that shows nothing or turns the text around it: zero width, line
// and paragraph ends, marks of direction (U+202E), tags? Two texts that differ look alike with
// them.
bool IsHiddenSequence(std::string_view sequence);

}  // namespace sippar::engine
