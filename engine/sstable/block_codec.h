// Block frames: compression with an optional dictionary, type and checksum (FORMAT.md "Block
// frames"). No other file of the engine uses zstd. SstableWriter uses BlockEncoder, SstableReader
// DecodeBlock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/cache/block.h"
#include "engine/sstable/sstable_format.h"
#include "engine/sstable/sstable_options.h"

struct ZSTD_CCtx_s;
struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

namespace sippar::engine {

struct ZstdFree {
  void operator()(ZSTD_CCtx_s* context) const;
  void operator()(ZSTD_CDict_s* dictionary) const;
  void operator()(ZSTD_DDict_s* dictionary) const;
};
template <typename T>
using ZstdPtr = std::unique_ptr<T, ZstdFree>;

// Frames the blocks of one file. Not thread safe.
class BlockEncoder final {
 public:
  // `dictionary` is raw content, which the encoder keeps; "" for none. kResourceExhausted when
  // memory is short.
  [[nodiscard]] static StatusOr<std::unique_ptr<BlockEncoder>> Create(uint64_t file_id,
                                                                      Compression compression,
                                                                      int level,
                                                                      std::string dictionary);
  // Appends the frame of `raw` to `out`; `offset` is its place in the file. Stores the raw bytes
  // when compression gains less than a sixteenth.
  [[nodiscard]] StatusOr<BlockHandle> Append(std::string_view raw, uint64_t offset,
                                             std::string* out);
  const std::string& dictionary() const { return dictionary_; }
  bool dictionary_used() const { return dictionary_used_; }  // true if any block so far used it

 private:
  BlockEncoder(uint64_t file_id, Compression compression, int level, std::string dictionary);
  [[nodiscard]] Status Open();
  [[nodiscard]] StatusOr<std::string_view> Compress(std::string_view raw);

  const uint64_t file_id_;
  const Compression compression_;
  const int level_;
  const std::string dictionary_;
  bool dictionary_used_ = false;
  std::unique_ptr<char[]> scratch_;
  size_t scratch_size_ = 0;
  ZstdPtr<ZSTD_CDict_s> encode_dictionary_;
  ZstdPtr<ZSTD_CCtx_s> context_;  // refers to the dictionary, so it is destroyed first
};

// The dictionary for decoding, one per open file. Immutable, thread safe.
class DecodeDictionary final {
 public:
  [[nodiscard]] static StatusOr<std::unique_ptr<DecodeDictionary>> Create(
      std::shared_ptr<const Block> content);
  size_t memory_bytes() const;
  const ZSTD_DDict_s* get() const { return dictionary_.get(); }

 private:
  DecodeDictionary(std::shared_ptr<const Block> content, ZstdPtr<ZSTD_DDict_s> dictionary);

  const std::shared_ptr<const Block> content_;
  const ZstdPtr<ZSTD_DDict_s> dictionary_;
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
