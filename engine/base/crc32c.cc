// Computes CRC-32C with a table, one byte at a time. This is fast enough: reads and writes of our
// own files do not need it.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/crc32c.h"

#include <array>

namespace sippar::engine {

uint32_t Crc32c(std::string_view bytes) {
  static const std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t crc = i;
      for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
      table[i] = crc;
    }
    return table;
  }();
  uint32_t crc = ~0u;
  for (char c : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  }
  return ~crc;
}

}  // namespace sippar::engine
