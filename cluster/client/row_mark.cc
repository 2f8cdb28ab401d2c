// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/row_mark.h"

#include <fmt/format.h>

#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using engine::RowRange;
using engine::RowSet;

// Leaves out the cell's value: within a tablet no two entries of mutations have the same sequence
// number, so cells with the same number and time are the same cell. This runs for each cell of a
// remote read.
uint64_t Mix(uint64_t digest, const CellView& cell) {
  return (digest ^ cell.sequence) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(cell.timestamp_us);
}

}  // namespace

void RowMark::See(const CellView& cell) {
  if (cell.row != row_ || cells_ == 0) {
    row_.assign(cell.row);
    cells_ = 0;
    digest_ = 0;
    passed_ = false;
  }
  ++cells_;
  digest_ = Mix(digest_, cell);
}

void RowMark::PassRow(std::string_view row) {
  row_.assign(row);
  cells_ = 0;
  passed_ = true;
}

RowSet RowMark::Rest(const RowSet& rows, bool reverse) const {
  if (cells_ == 0 && !passed_) return rows;
  RowRange rest;
  if (reverse) {
    rest.limit = passed_ ? row_ : engine::RowSuccessor(row_);
  } else {
    rest.start = passed_ ? engine::RowSuccessor(row_) : row_;
  }
  return rows.Intersection(RowSet(rest));
}

Status RowMark::SkipSeen(CellStream* cells) const {
  if (passed_) return OkStatus();
  uint64_t digest = 0;
  uint64_t seen = 0;
  for (; seen < cells_ && cells->Valid() && cells->cell().row == row_; ++seen) {
    digest = Mix(digest, cells->cell());
    cells->Next();
  }
  RETURN_IF_ERROR(cells->status());
  if (seen == cells_ && (seen == 0 || digest == digest_)) return OkStatus();
  return Aborted(fmt::format("row '{}' changed while it was read and its tablet moved; read again",
                             engine::PrintableBytes(row_)));
}

}  // namespace sippar::cluster
