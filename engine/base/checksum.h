// XXH3-64 checksums and hashes. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sippar::engine {

// The checksum of every record, block and state file. The seed of a record or block carries the
// place that the bytes belong to (file or segment, offset), so that a block read from the wrong
// place fails its check although its own bytes are whole (FAULTS.md D15).
uint64_t Checksum(std::string_view bytes, uint64_t seed);
// XXH3-64 without a seed, for filters, distinct counts and all other hashes.
uint64_t Hash(std::string_view bytes);

}  // namespace sippar::engine
