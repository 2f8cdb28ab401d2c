// SPDX-License-Identifier: Apache-2.0
#include "query/session/text_width.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sippar::query {
namespace {

struct CodeRange {
  uint32_t first;
  uint32_t last;
};
// Characters that take two columns: Unicode's East Asian Width W and F (UAX #11). Above U+2E80 the
// table has whole blocks rather than single characters, so the width of a few rare characters is
// wrong.
constexpr std::array<CodeRange, 54> kWide = {
    {{0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
     {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
     {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
     {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
     {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
     {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
     {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
     {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
     {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
     {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
     {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
     {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1aff0, 0x1b2fb}, {0x1f004, 0x1f004},
     {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f265},
     {0x1f300, 0x1faff}, {0x20000, 0x3fffd}}};
// Characters that take no column: combining marks and invisible format characters.
constexpr std::array<CodeRange, 6> kNarrowNone = {{{0x300, 0x36f},
                                                   {0x200b, 0x200f},
                                                   {0x202a, 0x202e},
                                                   {0x2060, 0x206f},
                                                   {0x20d0, 0x20ff},
                                                   {0xfe00, 0xfe0f}}};

template <size_t N>
bool In(uint32_t code, const std::array<CodeRange, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

// The width of the character at text[*i]; *i moves to the next character.
size_t CharWidth(std::string_view text, size_t* i) {
  auto byte = static_cast<unsigned char>(text[*i]);
  // Callers pass escaped text, which is UTF-8, so the first byte tells the length. A wrong byte
  // would count as one column, which only misaligns the output.
  size_t length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  uint32_t code = length == 1 ? byte : byte & (0x7fU >> length);
  for (size_t k = 1; k < length && *i + k < text.size(); ++k) {
    code = (code << 6) | (static_cast<unsigned char>(text[*i + k]) & 0x3f);
  }
  *i = std::min(*i + length, text.size());
  if (code < 0x300) return 1;
  if (In(code, kNarrowNone)) return 0;
  return In(code, kWide) ? 2 : 1;
}

std::string SizeText(size_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes);
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  size /= 1024;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

}  // namespace

size_t TextWidth(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size();) width += CharWidth(text, &i);
  return width;
}

std::string CutText(std::string_view text, size_t width) {
  // The second test makes the most frequent case fast: an ASCII text that fits into the width.
  if (width == 0 || (text.size() <= width && text.size() == TextWidth(text))) {
    return std::string(text);
  }
  size_t used = 0;
  size_t i = 0;
  while (i < text.size()) {
    size_t next = i;
    used += CharWidth(text, &next);
    if (used > width) {
      return fmt::format("{}… ({})", text.substr(0, i), SizeText(text.size()));
    }
    i = next;
  }
  return std::string(text);
}

}  // namespace sippar::query
