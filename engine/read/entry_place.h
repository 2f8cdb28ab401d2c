// The row, family and column of the entry at which a VisibilityIterator is. The encoded parts of
// the key (cell_key.h) are kept as well as the names: the next key is compared with them, so most
// keys need no parsing. The functions are inline because a scan calls them for every entry. Not
// thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/base/coding.h"
#include "engine/model/cell_key.h"

namespace sippar::engine {

class EntryPlace {
 public:
  const std::string& row() const { return row_; }
  const std::string& row_part() const { return row_part_; }
  const std::string& family() const { return family_; }
  const std::string& qualifier() const { return qualifier_; }
  const std::string& column_part() const { return column_part_; }
  // Each count rises by one when its row, family or column changes. Callers compare the counts
  // instead of the names.
  uint64_t row_count() const { return row_count_; }
  uint64_t family_count() const { return family_count_; }
  uint64_t column_count() const { return column_count_; }
  // This count rises when the current family gets another name. Only then do callers repeat the
  // lookups that depend on the name of the family.
  uint64_t family_name_count() const { return family_name_count_; }
  // True if `key` lies in the current row and family.
  bool HasFamily(std::string_view key) const {
    const size_t end = row_part_.size() + family_.size();
    return in_family_ && key.size() > end && key.starts_with(row_part_) &&
           key.substr(row_part_.size(), family_.size()) == family_ && key[end] == '\0';
  }

  // If `key` is another version of the current column, the most common case, reads its kind,
  // timestamp and sequence into *entry and returns true.
  bool ReadVersion(std::string_view key, ParsedKey* entry) const {
    size_t size = column_part_.size();
    if (size == 0 || key.size() != size + kSuffixSize || key[size] != '\1' ||
        std::memcmp(key.data(), column_part_.data(), size) != 0) {
      return false;
    }
    ReadSuffix(key.data() + size + 1, entry);
    return true;
  }

  // True if `key` lies in the current row.
  bool HasRow(std::string_view key) const {
    return !row_part_.empty() && key.starts_with(row_part_);
  }

  // In most tables all rows begin with the same column. If `key` is a cell in the column with which
  // the last row began, moves to the key's row, family and column, reads its kind, timestamp and
  // sequence into *entry, and returns true. Returns false for row keys with a zero byte, which are
  // stored escaped. Requires: !HasRow(key).
  bool EnterHeadColumn(std::string_view key, ParsedKey* entry) {
    if (head_names_.empty() || key.size() < kTerminatorSize + head_names_.size() + kSuffixSize) {
      return false;
    }
    const size_t row_end = key.size() - kSuffixSize - head_names_.size();
    // If this test passes, ParseKey would also end the row at the first zero byte of the key, and
    // would read the names in head_names_ after it.
    if (std::memchr(key.data(), 0, row_end) != key.data() + row_end - kTerminatorSize ||
        key[row_end - 1] != '\1' || key[row_end + head_names_.size()] != '\1' ||
        std::memcmp(key.data() + row_end, head_names_.data(), head_names_.size()) != 0) {
      return false;
    }
    row_part_.assign(key.data(), row_end);
    row_.assign(key.data(), row_end - kTerminatorSize);
    column_part_.assign(key.data(), key.size() - kSuffixSize);
    if (family_ != head_family_) SetFamily(head_family_);
    qualifier_.assign(head_qualifier_);
    in_family_ = true;
    ++row_count_;
    ++family_count_;
    ++column_count_;
    ReadSuffix(key.data() + key.size() - kSuffixSize + 1, entry);
    return true;
  }

  // Like ParseKey, but does not search for the end of the row part if `key` is in the current row.
  bool Parse(std::string_view key, ParsedKey* entry) const {
    return HasRow(key) ? ParseKeyAfterRow(key, row_part_.size(), entry) : ParseKey(key, entry);
  }

  // Move to the row, the family and the column of `entry`, called in this order. Each returns true
  // if the row, family or column is a new one, and then forgets the parts within the old one.
  bool EnterRow(const ParsedKey& entry) {
    if (entry.row_part == row_part_) return false;
    row_part_.assign(entry.row_part);
    UnescapeTo(entry.row_part.substr(0, entry.row_part.size() - kTerminatorSize), &row_);
    in_family_ = false;
    is_head_ = true;
    column_part_.clear();
    ++row_count_;
    return true;
  }
  // A new row enters its family again, even if the row before it ended in a family of the same
  // name. A row tombstone enters the family "", which no schema has, so no rule is found for it.
  bool EnterFamily(const ParsedKey& entry) {
    const bool is_named = entry.family == family_;
    if (is_named && in_family_) return false;
    if (!is_named) SetFamily(entry.family);
    in_family_ = true;
    column_part_.clear();
    ++family_count_;
    return true;
  }
  bool EnterColumn(const ParsedKey& entry) {
    if (entry.column_part == column_part_) return false;
    column_part_.assign(entry.column_part);
    UnescapeTo(entry.escaped_qualifier, &qualifier_);
    ++column_count_;
    if (is_head_) KeepHead();
    return true;
  }
  // Forgets the current row, so that the next entry counts as the start of a new row, even if it
  // is in the same row.
  void Leave() {
    row_part_.clear();
    column_part_.clear();
    in_family_ = false;
  }

 private:
  static constexpr size_t kTerminatorSize = 2;  // the bytes 00 01
  static constexpr size_t kSuffixSize = 17;     // 01, timestamp (8 bytes), sequence (8)

  void SetFamily(std::string_view family) {
    family_.assign(family);
    ++family_name_count_;
  }
  void KeepHead() {
    is_head_ = false;
    head_names_.assign(column_part_, row_part_.size());
    head_family_ = family_;
    head_qualifier_ = qualifier_;
  }
  static void ReadSuffix(const char* times, ParsedKey* entry) {
    entry->kind = EntryKind::kCell;
    entry->timestamp_us = static_cast<int64_t>(~GetBig64(times) ^ (uint64_t{1} << 63));
    entry->sequence = ~GetBig64(times + 8);
  }

  std::string row_part_, row_;
  std::string family_;
  std::string column_part_, qualifier_;
  // The first column of the last row that was parsed. head_names_ is that part of the key which
  // contains its family and qualifier.
  std::string head_names_, head_family_, head_qualifier_;
  bool is_head_ = false;    // true: the row has no column yet
  bool in_family_ = false;  // false: no family of the current row was entered yet
  uint64_t row_count_ = 0, family_count_ = 0, column_count_ = 0;
  uint64_t family_name_count_ = 0;
};

}  // namespace sippar::engine
