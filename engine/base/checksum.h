// XXH3-64 of bytes, seeded: the checksum of every record, block and state file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sippar::engine {

// The seed carries where the bytes belong (file id, offset), so that a block read from the wrong
// place fails although its own bytes are whole (FAULTS.md D15).
uint64_t Checksum(std::string_view bytes, uint64_t seed);
uint64_t Hash(std::string_view bytes);

}  // namespace sippar::engine
