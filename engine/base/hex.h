// Hex digits of bytes. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::engine {

inline constexpr std::string_view kLowerHex = "0123456789abcdef";
inline constexpr std::string_view kUpperHex = "0123456789ABCDEF";

// Appends the two digits of each byte to *text.
inline void AppendHex(std::string_view bytes, std::string* text,
                      std::string_view digits = kLowerHex) {
  for (char c : bytes) {
    auto byte = static_cast<uint8_t>(c);
    text->push_back(digits[byte >> 4]);
    text->push_back(digits[byte & 15]);
  }
}

// The value of a digit of either case; -1 for every other character.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte that the two digits at text[at] spell; -1 if there are no two digits.
constexpr int HexByte(std::string_view text, size_t at) {
  if (at + 2 > text.size()) return -1;
  int high = HexDigit(text[at]);
  int low = HexDigit(text[at + 1]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace sippar::engine
