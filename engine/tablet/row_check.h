// What an optimistic row transaction has read, for the commit to compare (paper section 3,
// single-row transactions).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/model/cell_iterator.h"
#include "engine/model/read_spec.h"

namespace sippar::engine {

// A read that is repeated when a row transaction commits, and the digest of the cells it returned.
struct RowCheck {
  ReadSpec read;  // read.rows is ignored: the read is of the mutation's row
  uint64_t digest = 0;
};

// XXH3 over all cells with their times and sequence numbers, in order. Reads `stream` to its end.
[[nodiscard]] StatusOr<uint64_t> DigestCells(CellStream* stream);

}  // namespace sippar::engine
