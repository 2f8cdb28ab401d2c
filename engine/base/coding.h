// Fixed and variable-length integers and length-prefixed strings, little-endian, as all formats in
// FORMAT.md use them. Decoding trusts no byte: after the first error a Reader stays failed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sippar::engine {

void PutFixed32(std::string* out, uint32_t value);
void PutFixed64(std::string* out, uint64_t value);
void PutVarint(std::string* out, uint64_t value);         // 1..10 bytes, 7 bits each
void PutSigned(std::string* out, int64_t value);          // zigzag varint
void PutBytes(std::string* out, std::string_view bytes);  // varint length, then the bytes

inline uint32_t GetFixed32(const char* p) {
  uint32_t value;
  std::memcpy(&value, p, 4);
  return value;  // no byte swap: x86-64, arm64 and the file formats are little-endian
}
inline uint64_t GetFixed64(const char* p) {
  uint64_t value;
  std::memcpy(&value, p, 8);
  return value;
}

// Big-endian 64 bits: the memcmp-ordered form used in cell keys and by INT64 cells.
void PutBig64(std::string* out, uint64_t value);
uint64_t GetBig64(const char* p);

// Reads what the Put functions wrote. After the first failure ok() is false and every further read
// returns zero or empty, so the caller checks once at the end. Returned views point into the input.
class Reader {
 public:
  explicit Reader(std::string_view input) : input_(input) {}
  uint32_t Fixed32();
  uint64_t Fixed64();
  uint64_t Varint();
  int64_t Signed();
  std::string_view Bytes();
  std::string_view Raw(size_t size);  // the next `size` bytes
  uint8_t Byte();
  // A count of items that each take at least one byte: fails when it exceeds the bytes left.
  size_t Count();
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && input_.empty(); }
  size_t left() const { return input_.size(); }
  // Makes the reader fail as after a decoding error; for callers that find a value invalid.
  void Fail() { ok_ = false, input_ = {}; }

 private:
  std::string_view input_;
  bool ok_ = true;
};

// Decodes a varint from [p, limit). Returns the address after it, or nullptr when it is cut short
// or exceeds 64 bits.
const char* GetVarint(const char* p, const char* limit, uint64_t* value);

}  // namespace sippar::engine
