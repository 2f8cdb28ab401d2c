// SPDX-License-Identifier: Apache-2.0
#include "engine/base/coding.h"

namespace sippar::engine {

void PutFixed32(std::string* out, uint32_t value) {
  char bytes[4];
  std::memcpy(bytes, &value, 4);
  out->append(bytes, 4);
}

void PutFixed64(std::string* out, uint64_t value) {
  char bytes[8];
  std::memcpy(bytes, &value, 8);
  out->append(bytes, 8);
}

void PutVarint(std::string* out, uint64_t value) {
  char bytes[10];
  size_t n = 0;
  while (value >= 0x80) {
    bytes[n++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes[n++] = static_cast<char>(value);
  out->append(bytes, n);
}

void PutSigned(std::string* out, int64_t value) {
  // Zigzag: small negative numbers are short, too.
  PutVarint(out, (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void PutBytes(std::string* out, std::string_view bytes) {
  PutVarint(out, bytes.size());
  out->append(bytes);
}

void PutBig64(std::string* out, uint64_t value) {
  uint64_t big = __builtin_bswap64(value);
  char bytes[8];
  std::memcpy(bytes, &big, 8);
  out->append(bytes, 8);
}

uint64_t GetBig64(const char* p) { return __builtin_bswap64(GetFixed64(p)); }

const char* GetVarint(const char* p, const char* limit, uint64_t* value) {
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 64 && p < limit; shift += 7) {
    auto byte = static_cast<uint8_t>(*p++);
    // The tenth byte holds bit 63 only: any other bit in it would be lost without an error.
    if (shift == 63 && byte > 1) return nullptr;
    result |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      *value = result;
      return p;
    }
  }
  return nullptr;
}

std::string_view Reader::Raw(size_t size) {
  if (!ok_ || size > input_.size()) {
    Fail();
    return {};
  }
  std::string_view result = input_.substr(0, size);
  input_.remove_prefix(size);
  return result;
}

uint32_t Reader::Fixed32() {
  std::string_view raw = Raw(4);
  return ok_ ? GetFixed32(raw.data()) : 0;
}

uint64_t Reader::Fixed64() {
  std::string_view raw = Raw(8);
  return ok_ ? GetFixed64(raw.data()) : 0;
}

uint8_t Reader::Byte() {
  std::string_view raw = Raw(1);
  return ok_ ? static_cast<uint8_t>(raw[0]) : uint8_t{0};
}

uint64_t Reader::Varint() {
  uint64_t value = 0;
  const char* end = ok_ ? GetVarint(input_.data(), input_.data() + input_.size(), &value) : nullptr;
  if (end == nullptr) {
    Fail();
    return 0;
  }
  input_.remove_prefix(static_cast<size_t>(end - input_.data()));
  return value;
}

int64_t Reader::Signed() {
  uint64_t value = Varint();
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

std::string_view Reader::Bytes() {
  uint64_t size = Varint();
  return Raw(size);
}

size_t Reader::Count() {
  uint64_t count = Varint();
  // A damaged count must not make the caller allocate memory for items that cannot be there.
  if (count > left()) Fail();
  return ok_ ? count : 0;
}

}  // namespace sippar::engine
