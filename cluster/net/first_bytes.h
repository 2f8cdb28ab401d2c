// Recognizes by its first bytes whether a caller speaks this protocol, for a port on which several
// protocols are served. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sippar::net {

enum class FirstBytes : uint8_t { kTooFew, kHello, kOther };

// `bytes`: all bytes that have come so far. Their checksums are checked later, by the connection.
FirstBytes LookAtFirstBytes(std::string_view bytes);

}  // namespace sippar::net
