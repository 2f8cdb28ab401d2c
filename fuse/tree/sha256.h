// SHA-256 (FIPS 180-4) of one byte string. The names of long keys contain a part of this hash, so
// that users can check such a name with sha256sum. Used by name_codec. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sippar::fuse {

std::array<uint8_t, 32> Sha256(std::string_view bytes);

}  // namespace sippar::fuse
