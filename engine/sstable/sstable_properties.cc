// Encodes the properties and makes the hashes of the filter.
// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/sstable_properties.h"

#include "engine/base/checksum.h"

namespace sippar::engine {

std::string SstableProperties::Encode() const {
  std::string out;
  summary.Encode(&out);
  PutVarint(&out, options.block_size);
  PutVarint(&out, static_cast<uint8_t>(options.compression));
  PutSigned(&out, options.level);
  PutVarint(&out, options.dictionary ? 1 : 0);
  PutVarint(&out, static_cast<uint8_t>(options.bloom));
  return out;
}

bool SstableProperties::Decode(std::string_view bytes) {
  Reader reader(bytes);
  summary.Decode(&reader);
  uint64_t block_size = reader.Varint();
  uint64_t compression = reader.Varint();
  int64_t level = reader.Signed();
  uint64_t dictionary = reader.Varint();
  uint64_t bloom = reader.Varint();
  if (block_size > UINT32_MAX || compression > static_cast<uint64_t>(Compression::kZstd) ||
      dictionary > 1 || bloom > static_cast<uint64_t>(BloomKind::kRowColumn) || level < -1000 ||
      level > 1000) {
    reader.Fail();
  }
  if (!reader.AtEnd()) return false;
  options.block_size = static_cast<uint32_t>(block_size);
  options.compression = static_cast<Compression>(compression);
  options.level = static_cast<int>(level);
  options.dictionary = dictionary == 1;
  options.bloom = static_cast<BloomKind>(bloom);
  return true;
}

uint64_t RowFilterHash(std::string_view row_prefix) { return Hash(row_prefix); }

uint64_t ColumnFilterHash(std::string_view column_prefix) { return Hash(column_prefix); }

uint64_t WideTombstoneFilterHash(std::string_view row_prefix) {
  // An odd factor gives a second, different hash of the same string.
  return Hash(row_prefix) * 0xbf58476d1ce4e5b9u;
}

}  // namespace sippar::engine
