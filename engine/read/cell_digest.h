// XXH3 over a sequence of cells with their timestamps and sequence numbers: equal digests mean
// equal reads. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/model/cell.h"

namespace sippar::engine {

class CellDigest {
 public:
  void Add(const CellView& cell);
  uint64_t value() const { return digest_; }

 private:
  uint64_t digest_ = 0;
  std::string bytes_;
};

}  // namespace sippar::engine
