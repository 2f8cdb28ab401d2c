// How far into which row the reader of a stream is: enough to go on after its last cell in another
// stream, and to see whether that one's row begins with the same cells. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/api/data_api.h"

namespace sippar::cluster {

class RowMark {
 public:
  void See(const CellView& cell);
  // The rest of the row is not wanted.
  void PassRow(std::string_view row);
  // The cells seen of the last row are all that it has.
  void EndRow() { passed_ = passed_ || cells_ > 0; }
  void Reset() { *this = RowMark(); }

  // The rows left when the read goes on from here: from this row on, or after it.
  engine::RowSet Rest(const engine::RowSet& rows, bool reverse) const;

  // Puts a stream of these rows after the last cell seen. kAborted: the row has changed; its first
  // cells and the rest would come out as a mixture.
  [[nodiscard]] Status SkipSeen(CellStream* cells) const;

 private:
  std::string row_;
  uint64_t cells_ = 0;   // of the row, seen so far
  uint64_t digest_ = 0;  // over them
  bool passed_ = false;
};

}  // namespace sippar::cluster
