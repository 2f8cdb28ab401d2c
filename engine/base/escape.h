// Escapes bytes for people and for files of text. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::engine {

// Which bytes an escaped text keeps as they are.
struct EscapeRules {
  // Printable ASCII; well-formed UTF-8 without control characters; such UTF-8 without characters
  // that are hidden (IsHiddenSequence of printable.h).
  enum Kept : uint8_t { kAscii, kUtf8, kVisible };
  Kept kept = kVisible;
  // Pairs of a character and what stands for it after a backslash: "\nn" writes a line's end as \n.
  std::string_view letters = {};
  // Printable ASCII characters that become \xHH all the same.
  std::string_view as_hex = {};
};

// The one escaper of bytes for people and for files of text: writes every byte that the rules do
// not keep as \xHH. JSON has escapes of its own: query/format/json_value.h.
std::string EscapeBytes(std::string_view bytes, const EscapeRules& rules);

// In double quotes, with printable ASCII kept and quotes within escaped as \x22.
std::string QuotedBytes(std::string_view bytes);

}  // namespace sippar::engine
