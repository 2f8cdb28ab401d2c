// SPDX-License-Identifier: Apache-2.0
#include "engine/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace sippar::engine {

Utf8Character FirstCharacter(std::string_view text) {
  if (text.empty()) return {};
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  // 0xc0 and 0xc1 begin overlong forms only, and bytes from 0x80 to 0xbf no character at all.
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return {};
  uint32_t code = first & (0x7fU >> size);
  for (char c : text.substr(1, size - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) != 0x80) return {};
    code = (code << 6) | (byte & 0x3f);
  }
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[size] || code > 0x10ffff || is_surrogate) return {};
  return {code, size};
}

namespace {

// Removes whole characters from the front, until `text` is empty or begins with malformed bytes.
std::string_view WithoutCharacters(std::string_view text) {
  while (!text.empty()) {
    // Most texts are ASCII, of which eight bytes are tested at once.
    uint64_t eight = 0;
    if (text.size() >= sizeof(eight)) {
      std::memcpy(&eight, text.data(), sizeof(eight));
      if ((eight & 0x8080808080808080) == 0) {
        text.remove_prefix(sizeof(eight));
        continue;
      }
    }
    const bool is_ascii = static_cast<unsigned char>(text[0]) < 0x80;
    const size_t size = is_ascii ? 1 : FirstCharacter(text).size;
    if (size == 0) break;
    text.remove_prefix(size);
  }
  return text;
}

}  // namespace

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool IsUtf8(std::string_view text) { return WithoutCharacters(text).empty(); }

std::string MalformedPlace(std::string_view text) {
  const std::string_view rest = WithoutCharacters(text);
  return fmt::format("byte {} is 0x{:02x}", text.size() - rest.size(),
                     static_cast<unsigned char>(rest[0]));
}

void AppendCharacter(uint32_t code, std::string* out) {
  auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

}  // namespace sippar::engine
