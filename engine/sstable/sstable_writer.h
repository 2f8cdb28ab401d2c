// Writes one SSTable (paper section 4; FORMAT.md "SSTable"): entries in ascending key order, cut
// into compressed blocks, then dictionary, filter, index, properties and footer. Used by minor,
// merging and major compactions. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/fs/file_system.h"
#include "engine/model/cell_key.h"
#include "engine/sstable/block_builder.h"
#include "engine/sstable/block_codec.h"
#include "engine/sstable/block_index.h"
#include "engine/sstable/bloom_filter.h"
#include "engine/sstable/file_summary.h"
#include "engine/sstable/sstable_options.h"

namespace sippar::engine {

class SstableWriter final {
 public:
  // `sample` has bytes typical of the keys and values, used as a raw-content zstd dictionary when
  // the options ask for one: at most kDictionarySizeMax bytes; empty means none. `file_id` becomes
  // part of every checksum, so the file must be opened under the same id.
  [[nodiscard]] static StatusOr<std::unique_ptr<SstableWriter>> Create(FileSystem* fs,
                                                                       std::string path,
                                                                       uint64_t file_id,
                                                                       SstableOptions options,
                                                                       std::string sample);
  ~SstableWriter() { Abandon(); }

  // Keys must be cell keys (cell_key.h) and strictly ascend, else Add returns kInvalidArgument.
  // It returns the same for an entry that is too large for a block. After any error only Abandon()
  // may be called.
  [[nodiscard]] Status Add(std::string_view key, std::string_view value);
  uint64_t raw_bytes() const { return summary_.raw_bytes; }
  uint64_t entries() const { return summary_.entries; }
  // Size of the index so far, which holds one whole key per block and may not exceed
  // kSectionRawSizeMax.
  uint64_t index_bytes() const { return index_.memory_bytes(); }
  // Bytes of the finished blocks so far: the file's size on disk without its tail.
  uint64_t stored_bytes() const { return offset_; }
  // Writes the tail, syncs, closes, and renames the file from PATH.tmp to PATH. The caller syncs
  // the directory, once for all files it made. A file without entries is allowed.
  [[nodiscard]] StatusOr<FileSummary> Finish();
  // Closes and removes the file, best effort: a sweep removes a file that stays.
  void Abandon();

 private:
  SstableWriter(FileSystem* fs, std::string path, uint64_t file_id, SstableOptions options);
  [[nodiscard]] Status Open(std::string sample);
  // The name of the file until it is complete. After a crash, a sweep recognises unfinished files
  // by it.
  std::string Unfinished() const { return path_ + ".tmp"; }
  [[nodiscard]] Status CheckEntry(std::string_view key, std::string_view value,
                                  ParsedKey* parsed) const;
  void CountEntry(const ParsedKey& parsed, size_t raw_bytes);
  void CountRowAndColumn(const ParsedKey& parsed);
  std::string_view LastKey() const {
    return block_.empty() ? std::string_view(summary_.last_key) : block_.last_key();
  }
  [[nodiscard]] Status FlushBlock();
  [[nodiscard]] Status AppendPending(size_t least);
  [[nodiscard]] StatusOr<BlockHandle> AddSection(BlockEncoder* encoder, std::string_view name,
                                                 std::string_view bytes);
  [[nodiscard]] Status AddTail();

  FileSystem* const fs_;
  const std::string path_;
  SstableOptions options_;
  std::unique_ptr<AppendFile> file_;  // nullptr once closed
  std::unique_ptr<BlockEncoder> encoder_;
  std::unique_ptr<BlockEncoder> section_encoder_;
  bool created_ = false;
  bool finished_ = false;

  BlockBuilder block_;
  std::string block_first_key_;
  BlockIndex::Entry block_times_;
  BlockIndex index_;
  BloomFilterBuilder filter_;
  FileSummary summary_;            // its last_key is from the last flushed block
  FamilyBytes* family_ = nullptr;  // entry of the previous key's family
  std::string_view family_name_;   // its name, a view into summary_.families
  uint64_t offset_ = 0;            // offset of the next block
  std::string pending_;            // bytes before offset_ not yet written to the file
};

}  // namespace sippar::engine
