// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/name_codec.h"

#include <cstdint>

#include "engine/base/hex.h"
#include "fuse/tree/sha256.h"

namespace sippar::fuse {
namespace {

// '~' is not a hex digit, so no escape begins like this.
constexpr std::string_view kLongMark = "%~";

struct CodePointRange {
  uint32_t first;
  uint32_t last;
};

// Characters that are invisible in a listing or that change how the text after them is shown:
// controls, all separators (category Z), format characters that reorder text or disappear,
// variation selectors, fillers and non-characters. Other unassigned code points are not escaped:
// new Unicode versions assign them, and a table of them would then give a key another name.
constexpr CodePointRange kHidden[] = {
    {0x0080, 0x00a0},   {0x00ad, 0x00ad},   {0x034f, 0x034f},    {0x061c, 0x061c},
    {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},    {0x180b, 0x180f},
    {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},    {0x3000, 0x3000},
    {0x3164, 0x3164},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},    {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff9, 0xfffb},   {0xfffe, 0xffff},    {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0x1fffe, 0x1ffff}, {0x2fffe, 0x2ffff},  {0x3fffe, 0x3ffff},
    {0xe0000, 0xe0fff}, {0xffffe, 0xfffff}, {0x10fffe, 0x10ffff}};

bool IsHidden(uint32_t code_point) {
  for (const CodePointRange& range : kHidden) {
    if (code_point >= range.first && code_point <= range.last) return true;
  }
  return false;
}

// Length of the well-formed UTF-8 sequence (RFC 3629) of at least two bytes at the start of `text`;
// sets its code point. 0 if there is no such sequence.
size_t DecodeSequence(std::string_view text, uint32_t* code_point) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return 0;
  uint32_t value = byte(0) & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3fu);
  }
  // Overlong forms and surrogates are rejected: they would let two byte strings look the same.
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[size] || value > 0x10ffff || is_surrogate) return 0;
  *code_point = value;
  return size;
}

bool IsPlain(char c) { return c > ' ' && c < 0x7f && c != '/' && c != '%'; }

// Number of bytes at `at` that stay unchanged; 0 if the byte there is escaped.
size_t PlainSizeAt(std::string_view key, size_t at) {
  char c = key[at];
  // A leading dot is escaped, because such names are reserved for control files.
  if (IsPlain(c)) return c == '.' && at == 0 ? 0 : 1;
  // A trailing space is escaped: users do not see it and tools strip it.
  if (c == ' ') return at + 1 == key.size() ? 0 : 1;
  if (static_cast<uint8_t>(c) < 0x80) return 0;
  uint32_t code_point = 0;
  size_t size = DecodeSequence(key.substr(at), &code_point);
  return size != 0 && IsHidden(code_point) ? 0 : size;
}

// Appends to *key the bytes that `text` encodes. Returns false if an escape is malformed.
bool Unescape(std::string_view text, std::string* key) {
  key->reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\0' || text[i] == '/') return false;
    if (text[i] != '%') {
      key->push_back(text[i]);
      continue;
    }
    int byte = engine::HexByte(text, i + 1);
    if (byte < 0) return false;
    key->push_back(static_cast<char>(byte));
    i += 2;
  }
  return true;
}

// Encodes `key`. Sets *head_size to the place where a long name would be cut: the last place at or
// before kLongHeadSizeMax that splits neither an escape nor a character. Returns false if the name
// is too long.
bool EscapeShort(std::string_view key, std::string* name, size_t* head_size) {
  name->clear();
  *head_size = 0;
  for (size_t at = 0; at < key.size();) {
    size_t plain = PlainSizeAt(key, at);
    if (plain == 0) {
      engine::AppendHex(key.substr(at++, 1), &name->append("%"), engine::kUpperHex);
    } else {
      name->append(key.substr(at, plain));
      at += plain;
    }
    if (name->size() <= kLongHeadSizeMax) *head_size = name->size();
    if (name->size() > kNameSizeMax) return false;
  }
  return true;
}

std::string Sha256Prefix(std::string_view key) {
  auto digest = Sha256(key);
  std::string hex;
  engine::AppendHex({reinterpret_cast<const char*>(digest.data()), kLongHashSize / 2}, &hex);
  return hex;
}

std::optional<DecodedName> DecodeLong(std::string_view name, size_t mark) {
  DecodedName decoded;
  decoded.is_long = true;
  decoded.hash = name.substr(mark + kLongMark.size());
  if (mark == 0 || decoded.hash.size() != kLongHashSize) return std::nullopt;
  if (decoded.hash.find_first_not_of(engine::kLowerHex) != std::string_view::npos)
    return std::nullopt;
  if (!Unescape(name.substr(0, mark), &decoded.key)) return std::nullopt;
  return decoded;
}

}  // namespace

NameCodec::NameCodec() : hash_(Sha256Prefix) {}

void NameCodec::Encode(std::string_view key, std::string* name) const {
  if (key.empty()) {
    *name = "%";
    return;
  }
  size_t head_size = 0;
  if (EscapeShort(key, name, &head_size)) return;
  name->resize(head_size);
  name->append(kLongMark).append(hash_(key));
}

std::string NameCodec::Encode(std::string_view key) const {
  std::string name;
  Encode(key, &name);
  return name;
}

std::optional<DecodedName> NameCodec::Decode(std::string_view name) const {
  if (name.empty() || name.size() > kNameSizeMax || name == "." || name == "..") {
    return std::nullopt;
  }
  if (name == "%") return DecodedName{};
  size_t mark = name.find(kLongMark);
  if (mark != std::string_view::npos) return DecodeLong(name, mark);
  DecodedName decoded;
  if (!Unescape(name, &decoded.key)) return std::nullopt;
  decoded.is_canonical = Encode(decoded.key) == name;
  return decoded;
}

}  // namespace sippar::fuse
