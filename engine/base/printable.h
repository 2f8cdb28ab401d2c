// Bytes as text for dumps. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sippar::engine {

// Printable ASCII stays; every other byte and the backslash become \xHH.
std::string PrintableBytes(std::string_view bytes);

}  // namespace sippar::engine
