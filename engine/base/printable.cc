// SPDX-License-Identifier: Apache-2.0
#include "engine/base/printable.h"

#include <algorithm>
#include <array>

#include "engine/base/escape.h"
#include "engine/base/utf8.h"

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
  const auto [code, size] = FirstCharacter(text);
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  return is_control ? 0 : size;
}

bool IsHiddenSequence(std::string_view sequence) {
  const uint32_t code = FirstCharacter(sequence).code;
  return std::any_of(kHidden.begin(), kHidden.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

}  // namespace sippar::engine
