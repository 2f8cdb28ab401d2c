// The implementation of SstableReader, as its iterator and its dump need it. Immutable after Load,
// except for pinned blocks; thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cache/pinned_blocks.h"
#include "engine/sstable/block_codec.h"
#include "engine/sstable/block_index.h"
#include "engine/sstable/sstable_properties.h"
#include "engine/sstable/sstable_reader.h"

namespace sippar::engine {

class OpenSstable final : public SstableReader, public std::enable_shared_from_this<OpenSstable> {
 public:
  OpenSstable(std::string path, uint64_t file_id, BlockCache* cache,
              std::unique_ptr<RandomFile> file)
      : path_(std::move(path)), file_id_(file_id), cache_(cache), file_(std::move(file)) {}
  [[nodiscard]] Status Load();

  std::unique_ptr<EntryIterator> NewIterator(const FileRead& read) const override;
  bool MayContainRow(std::string_view row_prefix) const override;
  bool MayContainColumn(std::string_view column_prefix) const override;
  const FileSummary& summary() const override { return properties_.summary; }
  const std::string& path() const override { return path_; }
  size_t blocks() const override { return index_.size(); }
  uint64_t memory_bytes() const override;
  StatusOr<std::string> Sample(std::string_view first_key, std::string_view limit_key,
                               size_t bytes_max) const override;
  std::vector<std::string> SplitKeys(uint64_t raw_bytes) const override;
  uint64_t StoredBytesBetween(std::string_view first_key,
                              std::string_view limit_key) const override;
  Status VerifyAll() const override;
  std::string Dump(bool with_entries) const override;

  const BlockIndex& index() const { return index_; }
  FileName name() const { return {path_, file_id_}; }
  // Reads a block through the cache, or pins it with the file when `read` says so.
  [[nodiscard]] StatusOr<std::shared_ptr<const Block>> ReadBlock(size_t block,
                                                                 const FileRead& read) const;
  // nullptr when the block is not pinned. The pointer does not own the block: its holder must hold
  // the file.
  std::shared_ptr<const Block> PinnedBlock(size_t block) const {
    return {std::shared_ptr<const Block>(), pinned_.Find(block)};
  }
  // False: the pin budget is used up.
  bool Pin(size_t block, const std::shared_ptr<const Block>& decoded) const {
    return cache_ != nullptr && pinned_.Keep(block, index_.size(), decoded, cache_->pins());
  }
  // The block if it is cached, without touching it; else nullptr.
  std::shared_ptr<const Block> CachedBlock(size_t block) const;
  // Reads the stored bytes of adjacent blocks with one file read.
  [[nodiscard]] Status ReadStored(size_t first_block, size_t count, std::string* stored) const;
  [[nodiscard]] StatusOr<std::shared_ptr<Block>> Decode(size_t block,
                                                        std::string_view stored) const;

 private:
  [[nodiscard]] StatusOr<Footer> ReadFooter() const;
  [[nodiscard]] StatusOr<std::shared_ptr<const Block>> ReadSection(std::string_view what,
                                                                   const BlockHandle& handle) const;
  void LoadDictionary(const BlockHandle& handle);
  void LoadFilter(const BlockHandle& handle);
  std::string_view FilterBytes() const;  // without the kind byte; "" when there is none
  bool OutsideKeyRange(std::string_view prefix) const;
  [[nodiscard]] Status VerifyBlock(size_t block, std::string* last_key, FileSummary* found) const;

  const std::string path_;
  const uint64_t file_id_;
  BlockCache* const cache_;
  const std::unique_ptr<RandomFile> file_;
  Footer footer_;
  SstableProperties properties_;
  BlockIndex index_;
  mutable PinnedBlocks pinned_;                   // a cache of the file's content
  std::shared_ptr<const Block> filter_;           // nullptr: missing or damaged
  std::unique_ptr<DecodeDictionary> dictionary_;  // nullptr: missing or damaged
  Status filter_status_;
  Status dictionary_status_;  // damage also fails the blocks that need it, and only these
};

std::unique_ptr<EntryIterator> NewSstableIterator(std::shared_ptr<const OpenSstable> file,
                                                  const FileRead& read);

}  // namespace sippar::engine
