// The width of text on a terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sippar::query {

// The columns that a terminal uses for printable UTF-8 text: two for a wide character, none for a
// combining one.
size_t TextWidth(std::string_view text);
// `text` cut to at most `width` columns; if it was cut, "… (12.3 KiB)" with the size of the whole
// text follows. A width of 0 never cuts.
std::string CutText(std::string_view text, size_t width);

}  // namespace sippar::query
