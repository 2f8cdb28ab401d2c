// The deletes that can hide entries at the place of a VisibilityIterator. A tombstone sorts before
// everything that it can hide (cell_key.h). So only the tombstones matter that were read since the
// start of the current row, family and column. Sequence 0 means no delete. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/model/cell_key.h"
#include "engine/read/version_history.h"

namespace sippar::engine {

class DeleteMarks {
 public:
  void EnterRow() { row_ = 0; }
  void EnterFamily() { family_ = 0; }
  // `birth` is the sequence number at which the family began: earlier entries belong to a dropped
  // family of the same name.
  void EnterColumn(uint64_t birth) {
    column_ = std::max({row_, family_, birth});
    ranges_.clear();
  }

  void DeleteRow(uint64_t sequence) { row_ = std::max(row_, sequence); }
  void DeleteFamily(uint64_t sequence) { family_ = std::max(family_, sequence); }
  void DeleteInColumn(uint64_t sequence, const ColumnDelete& what) {
    if (what.time.IsAll()) {
      column_ = std::max(column_, sequence);
    } else if (!Hides(sequence)) {
      ranges_.push_back({sequence, what});
    }
  }

  // True if an entry of the column with this sequence number is hidden: by a later delete of the
  // whole column, family or row, or because it is older than the family.
  bool Hides(uint64_t sequence) const { return sequence < column_; }
  // The deletes of time ranges in the column. Which versions they leave also depends on the GC rule
  // (version_history.h).
  const std::vector<RangeDelete>& ranges() const { return ranges_; }

 private:
  // Highest sequence numbers of deletes of the whole row and of the whole family; 0: none.
  uint64_t row_ = 0;
  uint64_t family_ = 0;
  // The highest of row_, family_, the deletes of the whole column and the family's birth.
  uint64_t column_ = 0;
  std::vector<RangeDelete> ranges_;
};

}  // namespace sippar::engine
