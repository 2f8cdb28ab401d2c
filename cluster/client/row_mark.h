// Remembers the position of a stream's reader: the row, and how many of its cells were read. With
// it another stream can continue after the last cell that was read, and detect whether the row
// still begins with the same cells. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/api/data_api.h"

namespace sippar::cluster {

class RowMark {
 public:
  // Notes that the reader has read `cell`.
  void See(const CellView& cell);
  // Notes that the reader skips the rest of `row`.
  void PassRow(std::string_view row);
  // Notes that the row of the last cell is complete.
  void EndRow() { passed_ = passed_ || cells_ > 0; }
  void Reset() { *this = RowMark(); }

  // Returns the part of `rows` that is left to read. It begins with the marked row, or after that
  // row if the row is complete or skipped.
  engine::RowSet Rest(const engine::RowSet& rows, bool reverse) const;

  // Moves a new stream over Rest() past the cells that were read before. kAborted: the row has
  // changed, so its first cells and the rest would not belong to one version of the row.
  [[nodiscard]] Status SkipSeen(CellStream* cells) const;

 private:
  std::string row_;
  uint64_t cells_ = 0;   // cells of row_ that were read
  uint64_t digest_ = 0;  // digest of those cells
  bool passed_ = false;  // nothing of row_ is left to read
};

}  // namespace sippar::cluster
