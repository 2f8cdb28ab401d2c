// Where a node stands in the text of its script. Used by every tree node and by error messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sippar::query {

struct Span {
  int line = 0;      // from 1; 0: no place known
  int column = 0;    // from 1, in characters (code points)
  size_t begin = 0;  // byte offsets into the text that was parsed: [begin, end)
  size_t end = 0;

  // Places do not count when trees are compared: a printed and reparsed tree is the same tree.
  bool operator==(const Span&) const { return true; }
};

}  // namespace sippar::query
