// Derives from the text of a regex how its matches begin, and what they all contain. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sippar::engine {

// True when every match must begin at the start of the text: a leading ^ that no top-level | or
// quantifier undoes. When in doubt, false.
bool IsAnchoredAtStart(std::string_view pattern);
// The literal characters after the ^ of an anchored pattern. *whole: nothing else follows them.
std::string LiteralHead(std::string_view pattern, bool* whole);
// A text that every match contains, the longest that is easily seen; "" when in doubt. The regex
// is case-sensitive. *whole: the regex is this text alone.
std::string LiteralInside(std::string_view pattern, bool* whole);

}  // namespace sippar::engine
