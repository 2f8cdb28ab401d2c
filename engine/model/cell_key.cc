// SPDX-License-Identifier: Apache-2.0
#include "engine/model/cell_key.h"

#include <cstring>

#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

constexpr char kEnd[2] = {'\0', '\1'};

uint64_t InvertedTime(int64_t timestamp_us) {
  // With its sign bit flipped, a negative time sorts below a positive one.
  return ~(static_cast<uint64_t>(timestamp_us) ^ (uint64_t{1} << 63));
}

int64_t TimeFromInverted(uint64_t inverted) {
  return static_cast<int64_t>(~inverted ^ (uint64_t{1} << 63));
}

// The offset after the terminator 00 01 of the escaped string that begins at key[start]; npos if
// the string is damaged.
size_t EscapedEnd(std::string_view key, size_t start) {
  while (start < key.size()) {
    const void* zero = std::memchr(key.data() + start, 0, key.size() - start);
    if (zero == nullptr) return std::string_view::npos;
    size_t at = static_cast<size_t>(static_cast<const char*>(zero) - key.data());
    if (at + 1 >= key.size()) return std::string_view::npos;
    if (key[at + 1] == '\1') return at + 2;
    if (key[at + 1] != '\xff') return std::string_view::npos;
    start = at + 2;
  }
  return std::string_view::npos;
}

bool ParseSequence(std::string_view bytes, uint64_t* sequence) {
  if (bytes.size() != 8) return false;
  *sequence = ~GetBig64(bytes.data());
  return true;
}

// Parses the part after "family 00 01": qualifier and column-rest.
bool ParseColumn(std::string_view key, size_t at, ParsedKey* out) {
  size_t end = EscapedEnd(key, at);
  if (end == std::string_view::npos || end >= key.size()) return false;
  out->escaped_qualifier = key.substr(at, end - 2 - at);
  out->column_part = key.substr(0, end);
  std::string_view rest = key.substr(end + 1);
  if (key[end] == '\0') {
    out->kind = EntryKind::kColumnTombstone;
    return ParseSequence(rest, &out->sequence);
  }
  if (key[end] != '\1' || rest.size() != 16) return false;
  out->kind = EntryKind::kCell;
  out->timestamp_us = TimeFromInverted(GetBig64(rest.data()));
  out->sequence = ~GetBig64(rest.data() + 8);
  return true;
}

}  // namespace

bool ParseKey(std::string_view key, ParsedKey* out) {
  size_t row_end = EscapedEnd(key, 0);
  return row_end != std::string_view::npos && ParseKeyAfterRow(key, row_end, out);
}

bool ParseKeyAfterRow(std::string_view key, size_t row_end, ParsedKey* out) {
  if (row_end >= key.size()) return false;
  out->row_part = key.substr(0, row_end);
  out->column_part = out->row_part;
  out->escaped_qualifier = {};
  // Family names have no zero byte (ValidateFamilyName), so they are not escaped.
  size_t family_end = key.find('\0', row_end);
  if (family_end == std::string_view::npos) return false;
  out->family = key.substr(row_end, family_end - row_end);
  if (out->family.empty()) {
    out->kind = EntryKind::kRowTombstone;
    return ParseSequence(key.substr(family_end + 1), &out->sequence);
  }
  if (family_end + 1 >= key.size()) return false;
  char tag = key[family_end + 1];
  if (tag == '\0') {
    out->kind = EntryKind::kFamilyTombstone;
    return ParseSequence(key.substr(family_end + 2), &out->sequence);
  }
  return tag == '\1' && ParseColumn(key, family_end + 2, out);
}

std::string_view RowPrefix(std::string_view key) {
  size_t end = EscapedEnd(key, 0);
  return end == std::string_view::npos ? std::string_view() : key.substr(0, end);
}

std::string_view ColumnPrefix(std::string_view key) {
  ParsedKey parsed;
  return ParseKey(key, &parsed) ? parsed.column_part : RowPrefix(key);
}

void AppendEscaped(std::string* out, std::string_view text) {
  while (true) {
    size_t zero = text.find('\0');
    out->append(text.substr(0, zero));
    if (zero == std::string_view::npos) return;
    out->append("\0\xff", 2);
    text.remove_prefix(zero + 1);
  }
}

void UnescapeTo(std::string_view escaped, std::string* out) {
  out->clear();
  while (true) {
    size_t zero = escaped.find('\0');
    if (zero == std::string_view::npos) {
      out->append(escaped);
      return;
    }
    out->append(escaped.substr(0, zero + 1));
    // Skips the ff after the zero byte; it can be missing only in a damaged key.
    escaped.remove_prefix(zero + 2 <= escaped.size() ? zero + 2 : escaped.size());
  }
}

std::string DecodeRowPart(std::string_view row_part) {
  std::string row;
  if (row_part.size() >= 2) UnescapeTo(row_part.substr(0, row_part.size() - 2), &row);
  return row;
}

std::string EncodeRowPart(std::string_view row) {
  std::string part;
  part.reserve(row.size() + 2);
  AppendEscaped(&part, row);
  part.append(kEnd, 2);
  return part;
}

std::string EncodeColumnPart(std::string_view row_part, std::string_view family,
                             std::string_view qualifier) {
  std::string part;
  part.reserve(row_part.size() + family.size() + qualifier.size() + 24);
  part.append(row_part).append(family).append("\0\1", 2);
  AppendEscaped(&part, qualifier);
  part.append(kEnd, 2);
  return part;
}

std::string KeyPrefixEnd(std::string_view part) {
  // Every part ends in the terminator's 01, and no key has 02 in that place. So 02 there gives a
  // key that sorts after all keys with this prefix and before all keys after them.
  std::string end(part);
  end.back() = '\2';
  return end;
}

std::string SeekKeyForRow(std::string_view row) {
  return row.empty() ? std::string() : EncodeRowPart(row);
}

void AppendCellSuffix(std::string* column_part, int64_t timestamp_us, uint64_t sequence) {
  column_part->push_back('\1');
  PutBig64(column_part, InvertedTime(timestamp_us));
  PutBig64(column_part, ~sequence);
}

std::string EncodeCellKey(std::string_view row, std::string_view family, std::string_view qualifier,
                          int64_t timestamp_us, uint64_t sequence) {
  std::string key = EncodeColumnPart(EncodeRowPart(row), family, qualifier);
  AppendCellSuffix(&key, timestamp_us, sequence);
  return key;
}

std::string EncodeRowTombstone(std::string_view row, uint64_t sequence) {
  std::string key = EncodeRowPart(row);
  key.push_back('\0');
  PutBig64(&key, ~sequence);
  return key;
}

std::string EncodeFamilyTombstone(std::string_view row, std::string_view family,
                                  uint64_t sequence) {
  std::string key = EncodeRowPart(row);
  key.append(family).append("\0\0", 2);
  PutBig64(&key, ~sequence);
  return key;
}

std::string EncodeColumnTombstone(std::string_view row, std::string_view family,
                                  std::string_view qualifier, uint64_t sequence) {
  std::string key = EncodeColumnPart(EncodeRowPart(row), family, qualifier);
  key.push_back('\0');
  PutBig64(&key, ~sequence);
  return key;
}

std::string EncodeColumnDelete(const ColumnDelete& column_delete) {
  std::string value;
  PutSigned(&value, column_delete.time.start_us);
  PutSigned(&value, column_delete.time.limit_us);
  PutSigned(&value, column_delete.wall_us);
  return value;
}

bool DecodeColumnDelete(std::string_view value, ColumnDelete* out) {
  Reader reader(value);
  out->time.start_us = reader.Signed();
  out->time.limit_us = reader.Signed();
  out->wall_us = reader.Signed();
  return reader.AtEnd();
}

}  // namespace sippar::engine
