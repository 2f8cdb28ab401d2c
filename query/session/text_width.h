// How wide text is on a terminal. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sippar::query {

// Columns a terminal uses for printable UTF-8 text: wide characters two, combining ones none.
size_t TextWidth(std::string_view text);
// `text` cut to at most `width` columns, with "… (12.3 KiB)" when something is gone; 0: never cut.
std::string CutText(std::string_view text, size_t width);

}  // namespace sippar::query
