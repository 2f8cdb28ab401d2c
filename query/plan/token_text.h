// Encodes positions as words that users copy and paste. A word has only letters and digits, so that
// a double click selects all of it, and a checksum that detects words that were cut or mistyped.
// Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sippar::query {

std::string ToTokenText(std::string bytes);
// False if `text` was not made by ToTokenText.
[[nodiscard]] bool FromTokenText(std::string_view text, std::string* bytes);

}  // namespace sippar::query
