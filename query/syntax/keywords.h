// The keywords of the grammar, for printing names and for completion. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sippar::query {

const std::vector<std::string>& Keywords();  // upper case, sorted
bool IsKeyword(std::string_view word);       // in any case
bool IsHardKeyword(std::string_view word);   // one that cannot be a name without backquotes

}  // namespace sippar::query
