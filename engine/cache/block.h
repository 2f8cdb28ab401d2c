// Block: the decoded bytes of one SSTable block, shared by the cache and by iterators that pin it.
// The layout of the bytes is the business of engine/sstable/block_cursor.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace sippar::engine {

// Immutable once shared.
class Block {
 public:
  // The bytes are left unset: a decoder fills them through data() before the block is shared.
  explicit Block(size_t size)
      : data_(std::make_unique_for_overwrite<char[]>(size > 0 ? size : 1)), size_(size) {}
  char* data() { return data_.get(); }
  std::string_view bytes() const { return {data_.get(), size_}; }
  // What the cache counts for it: bytes, both objects, the map and list nodes.
  size_t charge() const { return size_ + kOverhead; }

 private:
  static constexpr size_t kOverhead = 192;
  std::unique_ptr<char[]> data_;
  size_t size_;
};

}  // namespace sippar::engine
