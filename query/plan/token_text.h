// Positions as words that users copy and paste: letters and digits only, so that a double click
// selects all of it, with a checksum that finds words that were cut or mistyped. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sippar::query {

std::string ToTokenText(std::string bytes);
// False if `text` was not made by ToTokenText.
[[nodiscard]] bool FromTokenText(std::string_view text, std::string* bytes);

}  // namespace sippar::query
