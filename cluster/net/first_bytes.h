// Tells a caller that speaks this protocol from others by the first bytes that it sends, for a port
// on which several protocols are served. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sippar::net {

enum class FirstBytes : uint8_t { kTooFew, kHello, kOther };

// `bytes`: what has come so far, from the first byte on. Checksums are not checked here; the
// connection does that.
FirstBytes LookAtFirstBytes(std::string_view bytes);

}  // namespace sippar::net
