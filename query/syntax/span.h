// The place of a tree node in the text that was parsed. Used by every tree node and by errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sippar::query {

struct Span {
  int line = 0;      // counted from 1; 0: the place is not known
  int column = 0;    // counted from 1, in code points
  size_t begin = 0;  // byte offset into the text
  size_t end = 0;    // byte offset of the end, exclusive

  // All places are equal, so that trees can be compared with ==: a tree that was printed and parsed
  // again is the same tree at other places.
  bool operator==(const Span&) const { return true; }
};

}  // namespace sippar::query
