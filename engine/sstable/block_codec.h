// Block frames: compression with an optional dictionary, type and checksum (FORMAT.md "Block
// frames"). No other file uses zstd. SstableWriter uses BlockEncoder, SstableReader DecodeBlock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/cache/block.h"
#include "engine/sstable/sstable_format.h"
#include "engine/sstable/sstable_options.h"

namespace sippar::engine {

// Frames the blocks of one file. Not thread safe.
class BlockEncoder {
 public:
  // `dictionary` is raw content, which the encoder keeps; "" for none. kResourceExhausted when
  // memory is short.
  [[nodiscard]] static StatusOr<std::unique_ptr<BlockEncoder>> Create(uint64_t file_id,
                                                                      Compression compression,
                                                                      int level,
                                                                      std::string dictionary);
  virtual ~BlockEncoder() = default;
  // Appends the frame of `raw` to `out`; `offset` is its place in the file. Stores the raw bytes
  // when compression gains less than a sixteenth.
  [[nodiscard]] virtual StatusOr<BlockHandle> Append(std::string_view raw, uint64_t offset,
                                                     std::string* out) = 0;
  virtual const std::string& dictionary() const = 0;
  virtual bool dictionary_used() const = 0;  // true if any block so far used it
};

// The dictionary for decoding, one per open file. Immutable, thread safe.
class DecodeDictionary {
 public:
  [[nodiscard]] static StatusOr<std::unique_ptr<DecodeDictionary>> Create(
      std::shared_ptr<const Block> content);
  virtual ~DecodeDictionary() = default;
  virtual size_t memory_bytes() const = 0;
};

// Checks the frame `stored` of `handle` and decodes it. `what` names the block in errors,
// `size_max` limits its raw size. `dictionary` may be nullptr. Thread safe.
[[nodiscard]] StatusOr<std::shared_ptr<Block>> DecodeBlock(
    const FileName& file, std::string_view what, const BlockHandle& handle, std::string_view stored,
    uint64_t size_max, const DecodeDictionary* dictionary);
// Checks size and checksum of the frame, without decoding it.
[[nodiscard]] Status CheckFrame(const FileName& file, std::string_view what,
                                const BlockHandle& handle, std::string_view stored);

}  // namespace sippar::engine
