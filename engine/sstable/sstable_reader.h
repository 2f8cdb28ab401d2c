// SstableReader: one open SSTable. Index, filter, properties and dictionary are in memory, so a
// lookup reads only data blocks, mostly one (paper section 4). Immutable and thread safe; an
// iterator is not, and keeps its reader alive. Every block is verified by its checksum when it is
// read from disk: damage is kDataLoss with file, offset, expected and found checksum, never a wrong
// answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/cache/block_cache.h"
#include "engine/cache/pinned_blocks.h"
#include "engine/fs/file_system.h"
#include "engine/model/cell.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/read_counters.h"
#include "engine/model/read_spec.h"
#include "engine/sstable/block_codec.h"
#include "engine/sstable/block_index.h"
#include "engine/sstable/file_summary.h"
#include "engine/sstable/sstable_properties.h"

namespace sippar::engine {

enum class ReadAhead : uint8_t {
  kNone,  // for point reads: one block at a time, through the cache
  kScan,  // for long scans: up to 1 MiB of blocks per file read, none added to the cache
};

// How an iterator reads its file.
struct FileRead {
  FileRead(ReadAhead ahead) : read_ahead(ahead) {}
  ReadAhead read_ahead;
  TimeRange time;  // blocks that lie outside of this range and hold no tombstone are skipped
  // Blocks that are read stay in memory while the file is open, as far as the pin budget allows.
  bool in_memory = false;
  bool from_memory = false;  // the read fails with kUnavailable at a block that is not in memory
  // Larger values are returned empty where that saves a block read.
  uint64_t value_size_max = kAnyValueSize;
  ReadCounters* counters = nullptr;  // may be null; must outlive the iterator
};

// The error of a read with `from_memory` when it needs a block that is not in memory.
inline Status NotInMemory() { return Unavailable("block: it is not in memory"); }

class SstableReader final : public std::enable_shared_from_this<SstableReader> {
 public:
  // `cache` may be nullptr; it and `fs` must outlive the reader. `file_id` is the id that the file
  // was written with. kFailedPrecondition: the file has a newer format.
  [[nodiscard]] static StatusOr<std::shared_ptr<SstableReader>> Open(FileSystem* fs,
                                                                     std::string path,
                                                                     uint64_t file_id,
                                                                     BlockCache* cache);

  std::unique_ptr<EntryIterator> NewIterator(const FileRead& read) const;

  // False when the file certainly has no entry of that row (a RowPrefix) or column (a
  // ColumnPrefix), by its first and last key or by its filter; a filter of rows alone answers for
  // the column's row, a missing or damaged one excludes nothing. A row or family tombstone counts
  // as an entry of all columns of its row.
  bool MayContainRow(std::string_view row_prefix) const;
  bool MayContainColumn(std::string_view column_prefix) const;

  const FileSummary& summary() const { return properties_.summary; }
  const std::string& path() const { return path_; }
  size_t blocks() const { return index_.size(); }
  // Memory of the open file: index, filter and dictionary.
  uint64_t memory_bytes() const;

  // A sample for a dictionary: at most `bytes_max` bytes of decoded block content, in evenly spaced
  // pieces from the blocks that may hold keys in [first_key, limit_key); an empty limit is the end.
  [[nodiscard]] StatusOr<std::string> Sample(std::string_view first_key, std::string_view limit_key,
                                             size_t bytes_max) const;
  // Keys of this file that cut it into pieces of about `raw_bytes`, ascending; never its first key.
  std::vector<std::string> SplitKeys(uint64_t raw_bytes) const;
  // An estimate of the stored bytes of the rows in [first_key, limit_key), which are ends of row
  // parts (SeekKeyForRow) or empty: the blocks between them, half of a block that one of them cuts,
  // and the share of these blocks in the rest of the file.
  uint64_t StoredBytesBetween(std::string_view first_key, std::string_view limit_key) const;
  // Reads every block and checks checksums, key order, counts, filter and dictionary. Returns the
  // first error.
  [[nodiscard]] Status VerifyAll() const;
  // Text for operators: properties, sections, blocks and, with `with_entries`, all entries. The
  // text shows damage where it occurs.
  std::string Dump(bool with_entries) const;

  // For the iterator and the dump.
  const BlockIndex& index() const { return index_; }
  FileName name() const { return {path_, file_id_}; }
  // Reads a block through the cache. With read.in_memory, pins the block while the file is open.
  [[nodiscard]] StatusOr<std::shared_ptr<const Block>> ReadBlock(size_t block,
                                                                 const FileRead& read) const;
  // nullptr when the block is not pinned. The pointer does not own the block: the caller must keep
  // this reader alive while it uses the pointer.
  std::shared_ptr<const Block> PinnedBlock(size_t block) const {
    return {std::shared_ptr<const Block>(), pinned_.Find(block)};
  }
  // False: there is no cache, or its pin budget is used up.
  bool Pin(size_t block, const std::shared_ptr<const Block>& decoded) const {
    return cache_ != nullptr && pinned_.Keep(block, index_.size(), decoded, cache_->pins());
  }
  // The block if it is cached, else nullptr. Does not count as a use of the cached block.
  std::shared_ptr<const Block> CachedBlock(size_t block) const;
  // Reads the stored bytes of adjacent blocks with one file read.
  [[nodiscard]] Status ReadStored(size_t first_block, size_t count, std::string* stored) const;
  [[nodiscard]] StatusOr<std::shared_ptr<Block>> Decode(size_t block,
                                                        std::string_view stored) const;

 private:
  SstableReader(std::string path, uint64_t file_id, BlockCache* cache,
                std::unique_ptr<RandomFile> file)
      : path_(std::move(path)), file_id_(file_id), cache_(cache), file_(std::move(file)) {}
  [[nodiscard]] Status Load();
  [[nodiscard]] StatusOr<Footer> ReadFooter() const;
  [[nodiscard]] StatusOr<std::shared_ptr<const Block>> ReadSection(std::string_view what,
                                                                   const BlockHandle& handle) const;
  void LoadDictionary(const BlockHandle& handle);
  void LoadFilter(const BlockHandle& handle);
  // The bytes of the filter without the kind byte; "" when there is no filter.
  std::string_view FilterBytes() const;
  bool OutsideKeyRange(std::string_view prefix) const;
  [[nodiscard]] Status VerifyBlock(size_t block, std::string* last_key, FileSummary* found) const;

  const std::string path_;
  const uint64_t file_id_;
  BlockCache* const cache_;
  const std::unique_ptr<RandomFile> file_;
  Footer footer_;
  SstableProperties properties_;
  BlockIndex index_;
  mutable PinnedBlocks pinned_;                   // mutable, as it is only a cache of blocks
  std::shared_ptr<const Block> filter_;           // nullptr: missing or damaged
  std::unique_ptr<DecodeDictionary> dictionary_;  // nullptr: missing or damaged
  Status filter_status_;
  Status dictionary_status_;  // if not OK, only blocks that need the dictionary fail
};

std::unique_ptr<EntryIterator> NewSstableIterator(std::shared_ptr<const SstableReader> file,
                                                  const FileRead& read);

}  // namespace sippar::engine
