// SPDX-License-Identifier: Apache-2.0
#include "engine/base/printable.h"

#include <algorithm>
#include <array>

#include "engine/base/escape.h"

namespace sippar::engine {
namespace {

struct CodeRange {
  uint32_t first;
  uint32_t last;
};
constexpr std::array<CodeRange, 10> kHidden = {{{0xad, 0xad},        // soft hyphen
                                                {0x61c, 0x61c},      // Arabic letter mark
                                                {0x180e, 0x180e},    // Mongolian vowel separator
                                                {0x200b, 0x200f},    // zero width, direction marks
                                                {0x2028, 0x202e},    // line ends, direction marks
                                                {0x2060, 0x206f},    // joiners, isolates
                                                {0xfeff, 0xfeff},    // byte order mark
                                                {0xfff9, 0xfffb},    // annotation
                                                {0x1d173, 0x1d17a},  // musical notation
                                                {0xe0000, 0xe0fff}}};  // tags

}  // namespace

std::string PrintableBytes(std::string_view bytes) {
  return EscapeBytes(bytes, {.kept = EscapeRules::kAscii, .as_hex = "\\"});
}

size_t PrintableSequence(std::string_view text) {
  if (text.empty()) return 0;
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  auto follows = [&](size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first >= 0xc2 && first < 0xe0) {
    return follows(1) && !(first == 0xc2 && byte(1) < 0xa0) ? 2 : 0;
  }
  if (first >= 0xe0 && first < 0xf0) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) >= 0xa0) return 0;
    return 3;
  }
  if (first >= 0xf0 && first < 0xf5) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

bool IsHiddenSequence(std::string_view sequence) {
  if (sequence.size() < 2) return false;
  uint32_t code = static_cast<unsigned char>(sequence[0]) & (0x7fU >> sequence.size());
  for (char c : sequence.substr(1)) code = (code << 6) | (static_cast<unsigned char>(c) & 0x3f);
  return std::any_of(kHidden.begin(), kHidden.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

}  // namespace sippar::engine
