// Estimates how much of a scan is done. Each tablet counts by its size. Within a tablet the keys
// are assumed to be spread evenly from its first to its last key. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/model/row_set.h"

namespace sippar::query {

// Returns where `key` lies between `low` and `high`, from 0 to 1. A byte counts as a digit of the
// alphabet that it belongs to: '5' is about in the middle between '0' and '9', and 'n' between 'a'
// and 'z'. An empty `high` means that there is no upper end.
double KeyShare(std::string_view low, std::string_view high, std::string_view key);

// A range of rows that is read from one tablet.
struct ScanPiece {
  engine::RowRange range;  // rows of the piece; empty limit: the upper end is not known
  uint64_t bytes = 0;      // stored size of the tablet
};

class ScanShare {
 public:
  // `pieces` are in the order in which they are read, and not empty.
  ScanShare(std::vector<ScanPiece> pieces, bool reverse);
  // Returns the share of the scan that is done when `piece` has been read up to and including
  // `last_row` ("": no row of `piece` has been read). The result never falls from call to call.
  double At(size_t piece, std::string_view last_row);

 private:
  std::vector<ScanPiece> pieces_;
  bool reverse_;
  double bytes_ = 0;  // sum over all pieces
  double share_ = 0;  // share that At returned last
};

}  // namespace sippar::query
