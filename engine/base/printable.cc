// Bytes as text. SPDX-License-Identifier: Apache-2.0
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <iterator>

namespace sippar::engine {

std::string PrintableBytes(std::string_view bytes) {
  std::string text;
  for (char c : bytes) {
    if (c >= ' ' && c <= '~' && c != '\\') {
      text.push_back(c);
    } else {
      fmt::format_to(std::back_inserter(text), "\\x{:02x}", static_cast<uint8_t>(c));
    }
  }
  return text;
}

}  // namespace sippar::engine
