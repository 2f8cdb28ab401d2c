// The index of an SSTable: first key, place, sizes and time range of every data block. It stays in
// memory while the file is open, so that a lookup reads only data blocks, mostly one (paper section
// 4). Built by SstableWriter, decoded and used by SstableReader. Immutable once built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/coding.h"
#include "engine/sstable/sstable_format.h"

namespace sippar::engine {

class BlockIndex {
 public:
  // In a block that holds a tombstone, the time range covers all times.
  struct Entry {
    uint64_t offset = 0;
    uint64_t key_offset = 0;  // offset within the index's key bytes
    uint32_t key_size = 0;
    uint32_t stored_size = 0;  // includes the trailer
    uint32_t raw_size = 0;
    uint32_t entries = 0;
    int64_t time_min_us = 0;
    int64_t time_max_us = 0;

    BlockHandle handle() const { return {offset, stored_size, raw_size}; }
  };

  // Appends an entry for the next block.
  void Add(std::string_view first_key, Entry entry);
  std::string Encode() const;
  // False when the bytes are damaged: keys that do not ascend, sizes out of bounds, or blocks that
  // do not end exactly at `data_end`.
  [[nodiscard]] bool Decode(std::string_view bytes, uint64_t data_end);

  size_t size() const { return entries_.size(); }
  const Entry& entry(size_t block) const { return entries_[block]; }
  std::string_view first_key(size_t block) const {
    return std::string_view(keys_).substr(entries_[block].key_offset, entries_[block].key_size);
  }
  // The last block whose first key is <= key; 0 when there is none.
  size_t FindBlock(std::string_view key) const;
  // The number of blocks whose first key is < key; all blocks for "".
  size_t BlocksBefore(std::string_view key) const;
  uint64_t memory_bytes() const { return entries_.capacity() * sizeof(Entry) + keys_.capacity(); }

 private:
  std::vector<Entry> entries_;
  std::string keys_;
};

}  // namespace sippar::engine
