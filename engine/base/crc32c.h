// CRC-32C (Castagnoli), needed where another program's protocol or a query (the function CRC32C)
// asks for it; our own files use checksum.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sippar::engine {

uint32_t Crc32c(std::string_view bytes);

}  // namespace sippar::engine
