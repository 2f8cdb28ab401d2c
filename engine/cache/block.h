// Block: the decoded bytes of one SSTable block, shared by the cache and by iterators that pin it.
// The layout of the bytes is the business of engine/sstable/block_cursor.h.
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

// Search keys beside a block: eight bytes of each restart's key, so that a search misses the
// processor's cache once or twice instead of at every step. Empty: none were made.
struct RestartHeads {
  std::string prefix;             // what all restart keys begin with
  std::vector<uint64_t> heads;    // big-endian, the bytes behind the prefix, padded with 0
  std::vector<uint32_t> offsets;  // of the restarts' entries; the last one: where entries end

  size_t memory_bytes() const {
    return prefix.size() + heads.size() * sizeof(uint64_t) + offsets.size() * sizeof(uint32_t);
  }
};

// Immutable once shared.
class Block {
 public:
  // The bytes are left unset: a decoder fills them through data() before the block is shared.
  explicit Block(size_t size)
      : data_(std::make_unique_for_overwrite<char[]>(size > 0 ? size : 1)), size_(size) {}
  char* data() { return data_.get(); }
  std::string_view bytes() const { return {data_.get(), size_}; }
  const RestartHeads& heads() const { return heads_; }
  void SetHeads(RestartHeads heads) { heads_ = std::move(heads); }
  // What the cache counts for it: bytes, both objects, the map and list nodes.
  size_t charge() const { return size_ + kOverhead + heads_.memory_bytes(); }

 private:
  static constexpr size_t kOverhead = 280;
  std::unique_ptr<char[]> data_;
  size_t size_;
  RestartHeads heads_;
};

}  // namespace sippar::engine
