// The byte string, ordered by memcmp, under which every entry is stored (FORMAT.md "Cell keys").
// Pure.
//
//   key         = row-part rest
//   row-part    = escaped row, 00 01
//   rest        = 00 inv(sequence)                      row tombstone, first in its row
//               | family 00 00 inv(sequence)            family tombstone, before its columns
//               | family 00 01 escaped qualifier, 00 01, column-rest
//   column-rest = 00 inv(sequence)                      column tombstone; value: ColumnDelete
//               | 01 inv(timestamp) inv(sequence)       cell
//
// "Escaped" turns 00 into 00 ff, so that 00 01 ends a string and a prefix sorts before its
// extensions. inv() is 8 bytes, big-endian, of the bitwise complement: newest first. A tombstone
// sorts before everything it can hide, so a scan meets it first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/cell.h"

namespace sippar::engine {

enum class EntryKind : uint8_t { kRowTombstone, kFamilyTombstone, kColumnTombstone, kCell };

// The encoded parts of a key, as views into it. UnescapeTo decodes the escaped ones.
struct ParsedKey {
  EntryKind kind = EntryKind::kCell;
  std::string_view row_part;     // escaped row with its terminator
  std::string_view family;       // family name, not escaped; "" for a row tombstone
  std::string_view column_part;  // up to the qualifier's terminator; row_part if there is none
  std::string_view escaped_qualifier;  // escaped qualifier without its terminator
  int64_t timestamp_us = 0;            // cells only
  uint64_t sequence = 0;
};

// False when `key` is not a valid key (damage); `out` is then unspecified.
[[nodiscard]] bool ParseKey(std::string_view key, ParsedKey* out);
// Like ParseKey, for a key whose row part is known to be its first `row_end` bytes.
[[nodiscard]] bool ParseKeyAfterRow(std::string_view key, size_t row_end, ParsedKey* out);

// The escaped row with its terminator; "" if the key is damaged. Used for Bloom filters and to
// recognize the entries of one row.
std::string_view RowPrefix(std::string_view key);
// The key up to and including the qualifier's terminator for cells and column tombstones; otherwise
// RowPrefix.
std::string_view ColumnPrefix(std::string_view key);

// Appends `text` with 00 replaced by 00 ff, without a terminator.
void AppendEscaped(std::string* out, std::string_view text);
// Assigns the unescaped form of an escaped string to *out.
void UnescapeTo(std::string_view escaped, std::string* out);
// The unescaped row of a row part (escaped row and terminator).
std::string DecodeRowPart(std::string_view row_part);

std::string EncodeRowPart(std::string_view row);
// The common prefix of all entries of the column.
std::string EncodeColumnPart(std::string_view row_part, std::string_view family,
                             std::string_view qualifier);
// A key that sorts after all keys with this row part or column part, and before all keys after
// them.
std::string KeyPrefixEnd(std::string_view part);
// The key from which a read of rows >= `row` starts ("" for row "").
std::string SeekKeyForRow(std::string_view row);

// Appends the rest of a cell's key to a column part.
void AppendCellSuffix(std::string* column_part, int64_t timestamp_us, uint64_t sequence);
std::string EncodeCellKey(std::string_view row, std::string_view family, std::string_view qualifier,
                          int64_t timestamp_us, uint64_t sequence);
std::string EncodeRowTombstone(std::string_view row, uint64_t sequence);
std::string EncodeFamilyTombstone(std::string_view row, std::string_view family, uint64_t sequence);
std::string EncodeColumnTombstone(std::string_view row, std::string_view family,
                                  std::string_view qualifier, uint64_t sequence);

// The value of a column tombstone. `wall_us` is the server's clock when the delete arrived: the GC
// rule is replayed up to that moment before the delete is applied (version_history.h).
struct ColumnDelete {
  TimeRange time;
  int64_t wall_us = 0;
};
std::string EncodeColumnDelete(const ColumnDelete& column_delete);
[[nodiscard]] bool DecodeColumnDelete(std::string_view value, ColumnDelete* out);

}  // namespace sippar::engine
