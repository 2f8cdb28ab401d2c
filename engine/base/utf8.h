// UTF-8 as RFC 3629 has it: overlong forms, surrogates and code points above U+10FFFF are
// malformed. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::engine {

struct Utf8Character {
  uint32_t code = 0;
  size_t size = 0;  // bytes; 0: there is no character
};

// The character that `text` begins with; size 0 if `text` is empty or begins with malformed bytes.
Utf8Character FirstCharacter(std::string_view text);

// True for a byte of a character that is not its first one.
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

bool IsAscii(std::string_view text);
bool IsUtf8(std::string_view text);
// Says where `text` stops being UTF-8: "byte 3 is 0xff", counted from 0. Requires: !IsUtf8(text).
std::string MalformedPlace(std::string_view text);
// Appends the bytes of the character. Requires: a code point up to U+10FFFF, no surrogate.
void AppendCharacter(uint32_t code, std::string* out);

}  // namespace sippar::engine
