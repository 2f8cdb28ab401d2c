// A token is its fields followed by a checksum of them.
// SPDX-License-Identifier: Apache-2.0
#include "query/api/query_token.h"

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::query {
namespace {

using engine::DataType;
using engine::Reader;

// Seeds of the checksums. They differ by the kind and version of a token, so that one kind never
// decodes as another.
constexpr uint64_t kPreparedSeed = 0x7071;
constexpr uint64_t kResumeSeed = 0x7271;
// Bounds the recursion: the checksum is not a signature, so a forged token may nest types to any
// depth.
constexpr size_t kTypeDepthMax = 4;

// The checksum detects tokens that were cut or confused with others. It does not protect against
// forged tokens, which is not needed: a token gives no access that a new query would not give.
void Seal(uint64_t seed, std::string* bytes) {
  engine::PutFixed64(bytes, engine::Checksum(*bytes, seed));
}

bool Open(uint64_t seed, std::string_view* bytes) {
  if (bytes->size() < 8) return false;
  std::string_view body = bytes->substr(0, bytes->size() - 8);
  if (engine::GetFixed64(bytes->data() + body.size()) != engine::Checksum(body, seed)) return false;
  *bytes = body;
  return true;
}

size_t PartsOf(engine::ValueType kind) {
  switch (kind) {
    case engine::ValueType::kArray:
      return 1;
    case engine::ValueType::kMap:
    case engine::ValueType::kStruct:
      return 2;
    case engine::ValueType::kNull:
    case engine::ValueType::kBool:
    case engine::ValueType::kInt64:
    case engine::ValueType::kFloat64:
    case engine::ValueType::kBytes:
    case engine::ValueType::kText:
    case engine::ValueType::kTimestamp:
    case engine::ValueType::kDuration:
    case engine::ValueType::kDate:
      break;
  }
  return 0;
}

DataType DecodeType(Reader* reader, size_t depth = 0) {
  DataType type;
  // After a failure the reader returns zeros, so every byte and count is checked before it is used
  // to index or to reserve.
  uint8_t kind = reader->Byte();
  if (kind > static_cast<uint8_t>(engine::kLastValueType) || depth > kTypeDepthMax) {
    reader->Fail();
    return type;
  }
  type.kind = static_cast<engine::ValueType>(kind);
  size_t parts = reader->Count();
  for (size_t i = 0; i < parts && reader->ok(); ++i) {
    type.parts.push_back(DecodeType(reader, depth + 1));
  }
  // Later code indexes `parts` without a check of its size; SampleOf, for example, does so for the
  // item of an ARRAY.
  if (type.parts.size() != PartsOf(type.kind)) reader->Fail();
  return type;
}

}  // namespace

void EncodeType(const DataType& type, std::string* out) {
  out->push_back(static_cast<char>(type.kind));
  engine::PutVarint(out, type.parts.size());
  for (const DataType& part : type.parts) EncodeType(part, out);
}

std::string PreparedToken::Encode() const {
  std::string bytes;
  engine::PutBytes(&bytes, table_prefix);
  engine::PutBytes(&bytes, text);
  engine::PutVarint(&bytes, params.size());
  for (const auto& [name, type] : params) {
    engine::PutBytes(&bytes, name);
    EncodeType(type, &bytes);
  }
  engine::PutFixed64(&bytes, columns_hash);
  engine::PutSigned(&bytes, valid_until_us);
  Seal(kPreparedSeed, &bytes);
  return bytes;
}

bool PreparedToken::Decode(std::string_view bytes, PreparedToken* out) {
  if (!Open(kPreparedSeed, &bytes)) return false;
  Reader reader(bytes);
  out->table_prefix = reader.Bytes();
  out->text = reader.Bytes();
  size_t params = reader.Count();
  for (size_t i = 0; i < params && reader.ok(); ++i) {
    std::string name(reader.Bytes());
    out->params[name] = DecodeType(&reader);
  }
  out->columns_hash = reader.Fixed64();
  out->valid_until_us = reader.Signed();
  return reader.AtEnd();
}

std::string ResumeToken::Encode() const {
  std::string bytes;
  engine::PutFixed64(&bytes, prepared_hash);
  engine::PutSigned(&bytes, now_us);
  bytes.push_back(done ? 1 : 0);
  engine::PutBytes(&bytes, row);
  engine::PutVarint(&bytes, given);
  Seal(kResumeSeed, &bytes);
  return bytes;
}

bool ResumeToken::Decode(std::string_view bytes, ResumeToken* out) {
  if (!Open(kResumeSeed, &bytes)) return false;
  Reader reader(bytes);
  out->prepared_hash = reader.Fixed64();
  out->now_us = reader.Signed();
  out->done = reader.Byte() != 0;
  out->row = reader.Bytes();
  out->given = reader.Varint();
  return reader.AtEnd();
}

}  // namespace sippar::query
