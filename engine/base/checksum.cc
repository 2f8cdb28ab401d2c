// SPDX-License-Identifier: Apache-2.0
#include "engine/base/checksum.h"

#include <xxhash.h>

namespace sippar::engine {

uint64_t Checksum(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint64_t Hash(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace sippar::engine
