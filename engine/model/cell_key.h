// The one memcmp-ordered byte string under which every entry is stored (FORMAT.md "Cell keys").
//
//   key    = row-part rest
//   row-part     escaped row, 00 01
//   rest   = 00 inv(sequence)                                  row tombstone, before all of its row
//          | family 00 00 inv(sequence)                        family tombstone, before its columns
//          | family 00 01 escaped qualifier, 00 01, column-rest
//   column-rest  = 00 inv(sequence)                            column tombstone; value: times, wall
//                | 01 inv(timestamp) inv(sequence)             cell
//
// "escaped": 00 becomes 00 ff, so that 00 01 ends a string and prefixes sort first. inv() is 8
// bytes big-endian of the bitwise complement, newest first. Tombstones sort before all they can
// hide. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/cell.h"

namespace sippar::engine {

enum class EntryKind : uint8_t { kRowTombstone, kFamilyTombstone, kColumnTombstone, kCell };

// Encoded parts, views into the key. The escaped strings are decoded by UnescapeTo.
struct ParsedKey {
  EntryKind kind = EntryKind::kCell;
  std::string_view row_part;     // escaped row with its terminator
  std::string_view family;       // plain; "" for a row tombstone
  std::string_view column_part;  // from the start of the key to behind the qualifier's terminator
  std::string_view escaped_qualifier;  // without terminator
  int64_t timestamp_us = 0;            // cells only
  uint64_t sequence = 0;
};

// False when `key` is no such string (damage); `out` is then unspecified.
[[nodiscard]] bool ParseKey(std::string_view key, ParsedKey* out);

// The escaped row with its terminator; "" when damaged. For Bloom filters and row grouping.
std::string_view RowPrefix(std::string_view key);
// Up to behind the qualifier's terminator for cells and column tombstones; otherwise RowPrefix.
std::string_view ColumnPrefix(std::string_view key);

// Appends `text` with 00 -> 00 ff, without terminator.
void AppendEscaped(std::string* out, std::string_view text);
// The plain form of an escaped string, assigned to *out.
void UnescapeTo(std::string_view escaped, std::string* out);
// Plain row of a row part (escaped + terminator).
std::string DecodeRowPart(std::string_view row_part);

std::string EncodeRowPart(std::string_view row);
// Prefix of every entry of the column.
std::string EncodeColumnPart(std::string_view row_part, std::string_view family,
                             std::string_view qualifier);
// Smallest key behind everything that begins with this row part or column part.
std::string KeyPrefixEnd(std::string_view part);
// The first key a read of rows >= `row` may meet ("" for row "").
std::string SeekKeyForRow(std::string_view row);

void AppendCellSuffix(std::string* column_part, int64_t timestamp_us, uint64_t sequence);
std::string EncodeCellKey(std::string_view row, std::string_view family, std::string_view qualifier,
                          int64_t timestamp_us, uint64_t sequence);
std::string EncodeRowTombstone(std::string_view row, uint64_t sequence);
std::string EncodeFamilyTombstone(std::string_view row, std::string_view family, uint64_t sequence);
std::string EncodeColumnTombstone(std::string_view row, std::string_view family,
                                  std::string_view qualifier, uint64_t sequence);

// Value of a column tombstone. `wall_us` is the server's clock when the delete arrived: the GC rule
// is replayed up to that moment before the delete is applied (visibility_iterator.h).
struct ColumnDelete {
  TimeRange time;
  int64_t wall_us = 0;
};
std::string EncodeColumnDelete(const ColumnDelete& column_delete);
[[nodiscard]] bool DecodeColumnDelete(std::string_view value, ColumnDelete* out);

}  // namespace sippar::engine
