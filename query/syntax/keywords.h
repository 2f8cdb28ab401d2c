// The keywords of the grammar, for printing names. A test compares them with the grammar. Thread
// safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sippar::query {

const std::vector<std::string>& Keywords();  // all keywords, upper case, sorted
// True for a keyword that cannot be a name without backquotes. Case is ignored.
bool IsHardKeyword(std::string_view word);

}  // namespace sippar::query
