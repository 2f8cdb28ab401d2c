// SPDX-License-Identifier: Apache-2.0
#include "engine/read/cell_digest.h"

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::engine {

void CellDigest::Add(const CellView& cell) {
  bytes_.clear();
  PutBytes(&bytes_, cell.row);
  PutBytes(&bytes_, cell.family);
  PutBytes(&bytes_, cell.qualifier);
  PutSigned(&bytes_, cell.timestamp_us);
  PutVarint(&bytes_, cell.sequence);
  // Lengths are part of the hashed bytes, so that no two different sequences of cells hash the same
  // bytes.
  digest_ = Checksum(cell.value, Checksum(bytes_, digest_));
}

}  // namespace sippar::engine
