// How much of a scan is done, estimated: each tablet counts by its size, and within one the keys
// are taken for evenly spread between its first and its last. Pure. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/model/row_set.h"

namespace sippar::query {

// Where `key` lies between `low` and `high`, 0 to 1. Bytes count as digits of what they look like:
// '5' is in the middle between '0' and '9', 'n' between 'a' and 'z'.
double KeyShare(std::string_view low, std::string_view high, std::string_view key);

// A stretch of rows that is read from one tablet.
struct ScanPiece {
  engine::RowRange range;  // "" as its limit: its last row is not known
  uint64_t bytes = 0;
};

class ScanShare {
 public:
  // `pieces`: in the order in which they are read; not empty.
  ScanShare(std::vector<ScanPiece> pieces, bool reverse);
  // Once `piece` is read up to and with `last_row` ("": no row of it is). Never falls.
  double At(size_t piece, std::string_view last_row);

 private:
  std::vector<ScanPiece> pieces_;
  bool reverse_;
  double bytes_ = 0;  // of all
  double share_ = 0;
};

}  // namespace sippar::query
