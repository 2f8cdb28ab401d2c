// CRC-32C (Castagnoli), which other programs ask for; our own files use checksum.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sippar::engine {

uint32_t Crc32c(std::string_view bytes);

}  // namespace sippar::engine
