// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/row_check.h"

#include "engine/read/cell_digest.h"

namespace sippar::engine {

StatusOr<uint64_t> DigestCells(CellStream* stream) {
  CellDigest digest;
  for (; stream->Valid(); stream->Next()) digest.Add(stream->cell());
  RETURN_IF_ERROR(stream->status());
  return digest.value();
}

}  // namespace sippar::engine
