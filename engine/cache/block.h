// Block: the decoded bytes of one SSTable block, shared by the cache and the iterators that hold
// it. engine/sstable/block_cursor.h knows the layout of the bytes. A shared block never changes, so
// it is thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sippar::engine {

// Search keys for a block: eight bytes of each restart's key, so that a search misses the
// processor's cache once or twice instead of at every step. Empty: the block has none.
struct RestartHeads {
  std::string prefix;             // common prefix of all restart keys
  std::vector<uint64_t> heads;    // the bytes after the prefix, big-endian, padded with 0
  std::vector<uint32_t> offsets;  // offsets of the restarts; last: the end of the entries

  size_t memory_bytes() const {
    return prefix.size() + heads.size() * sizeof(uint64_t) + offsets.size() * sizeof(uint32_t);
  }
};

// The bytes and search keys of one block.
class Block {
 public:
  // The bytes are not initialised: a decoder fills them through data() before the block is shared.
  explicit Block(size_t size)
      : data_(std::make_unique_for_overwrite<char[]>(size > 0 ? size : 1)), size_(size) {}
  char* data() { return data_.get(); }
  std::string_view bytes() const { return {data_.get(), size_}; }
  const RestartHeads& heads() const { return heads_; }
  void SetHeads(RestartHeads heads) { heads_ = std::move(heads); }
  // Bytes that the cache counts for this block: its content, its search keys, and kOverhead for the
  // objects around them and for the block's nodes in the cache's map and list.
  size_t charge() const { return size_ + kOverhead + heads_.memory_bytes(); }

 private:
  static constexpr size_t kOverhead = 280;
  std::unique_ptr<char[]> data_;
  size_t size_;
  RestartHeads heads_;
};

}  // namespace sippar::engine
