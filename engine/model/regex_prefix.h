// What a regex says about how its matches begin, from its text. Pure. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sippar::engine {

// True when every match must begin at the start of the text: a leading ^ that no top-level | or
// quantifier undoes. Errs on the side of false.
bool IsAnchoredAtStart(std::string_view pattern);
// The literal characters behind the ^ of an anchored pattern. *whole: nothing else follows them.
std::string LiteralHead(std::string_view pattern, bool* whole);

}  // namespace sippar::engine
