// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/block_index.h"

#include <algorithm>

#include "engine/base/limits.h"

namespace sippar::engine {

void BlockIndex::Add(std::string_view first_key, Entry entry) {
  entry.key_offset = keys_.size();
  entry.key_size = static_cast<uint32_t>(first_key.size());
  keys_.append(first_key);
  entries_.push_back(entry);
}

// Keys are stored whole, and the section is compressed as one block, so in no input can the decoded
// keys be larger than the raw size of the section.
std::string BlockIndex::Encode() const {
  std::string out;
  PutVarint(&out, entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    PutBytes(&out, first_key(i));
    PutVarint(&out, entry.stored_size);
    PutVarint(&out, entry.raw_size);
    PutVarint(&out, entry.entries);
    PutSigned(&out, entry.time_min_us);
    PutSigned(&out, entry.time_max_us);
  }
  return out;
}

bool BlockIndex::Decode(std::string_view bytes, uint64_t data_end) {
  Reader reader(bytes);
  size_t count = reader.Count();
  uint64_t offset = 0;
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    std::string_view key = reader.Bytes();
    Entry entry;
    entry.offset = offset;
    uint64_t stored = reader.Varint();
    uint64_t raw = reader.Varint();
    uint64_t entry_count = reader.Varint();
    entry.time_min_us = reader.Signed();
    entry.time_max_us = reader.Signed();
    if (!reader.ok() || stored <= kBlockTrailerSize || stored > data_end - offset) return false;
    if (raw > limits::kBlockRawSizeMax || stored > UINT32_MAX || entry_count > raw) return false;
    // Searches rely on ascending keys.
    if (i > 0 && key <= first_key(i - 1)) return false;
    entry.stored_size = static_cast<uint32_t>(stored);
    entry.raw_size = static_cast<uint32_t>(raw);
    entry.entries = static_cast<uint32_t>(entry_count);
    offset += stored;
    Add(key, entry);
  }
  entries_.shrink_to_fit();
  keys_.shrink_to_fit();
  return reader.AtEnd() && offset == data_end;
}

size_t BlockIndex::BlocksBefore(std::string_view key) const {
  if (key.empty()) return entries_.size();
  auto found = std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return std::string_view(keys_).substr(entry.key_offset, entry.key_size) < key;
  });
  return static_cast<size_t>(found - entries_.begin());
}

size_t BlockIndex::FindBlock(std::string_view key) const {
  auto found = std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return std::string_view(keys_).substr(entry.key_offset, entry.key_size) <= key;
  });
  return found == entries_.begin() ? 0 : static_cast<size_t>(found - entries_.begin()) - 1;
}

}  // namespace sippar::engine
