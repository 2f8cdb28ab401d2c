// The row, family and column of the entry at which a VisibilityIterator is. The encoded parts of
// the key (cell_key.h) are kept beside the names: the next key is compared with them, so most keys
// need no parsing. Not thread safe. SPDX-License-Identifier: Apache-2.0
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
  const std::string& family_part() const { return family_part_; }  // row part and family
  const std::string& qualifier() const { return qualifier_; }
  const std::string& column_part() const { return column_part_; }
  // Each rises by one at a new row, family or column: callers compare them instead of names.
  uint64_t row_count() const { return row_count_; }
  uint64_t family_count() const { return family_count_; }
  uint64_t column_count() const { return column_count_; }

  // If `key` is another version of the current column, the most common case, reads its kind,
  // timestamp and sequence into *entry and returns true.
  bool ReadVersion(std::string_view key, ParsedKey* entry) const {
    constexpr size_t kSuffixSize = 17;  // 01, 8 bytes of timestamp, 8 of sequence
    size_t size = column_part_.size();
    if (size == 0 || key.size() != size + kSuffixSize || key[size] != '\1' ||
        std::memcmp(key.data(), column_part_.data(), size) != 0) {
      return false;
    }
    const char* suffix = key.data() + size + 1;
    entry->kind = EntryKind::kCell;
    entry->timestamp_us = static_cast<int64_t>(~GetBig64(suffix) ^ (uint64_t{1} << 63));
    entry->sequence = ~GetBig64(suffix + 8);
    return true;
  }

  // Move to the row, the family and the column of `entry`, called in this order. Each returns true
  // if it is a new one, and leaves what lies within the old one.
  bool EnterRow(const ParsedKey& entry);
  bool EnterFamily(const ParsedKey& entry);
  bool EnterColumn(const ParsedKey& entry);
  // The next entry begins a row, even if it lies in the current one.
  void Leave();

 private:
  std::string row_part_, row_;
  std::string family_, family_part_;
  std::string column_part_, qualifier_;
  uint64_t row_count_ = 0, family_count_ = 0, column_count_ = 0;
};

}  // namespace sippar::engine
