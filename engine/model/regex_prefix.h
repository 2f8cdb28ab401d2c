// Derives from a regex's text how its matches begin, and a text that all of them contain. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sippar::engine {

// True if every match must begin at the start of the text: the regex has a leading ^ that no
// top-level | or quantifier undoes. When in doubt, false.
bool IsAnchoredAtStart(std::string_view pattern);
// The literal characters after the ^ of an anchored pattern. Sets *whole to true if nothing else
// follows them.
std::string LiteralHead(std::string_view pattern, bool* whole);
// The longest text that a simple scan shows to be in every match; "" when in doubt. The regex must
// be case-sensitive. Sets *whole to true if the regex consists of this text alone.
std::string LiteralInside(std::string_view pattern, bool* whole);

}  // namespace sippar::engine
