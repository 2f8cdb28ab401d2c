// SstableReader: one open SSTable. Index, filter, properties and dictionary are in memory, so a
// lookup reads at most one block (paper section 4). Immutable and thread safe; an iterator is not,
// and keeps its reader alive. Every block is verified by its checksum when it is read from disk:
// damage is kDataLoss with file, offset, expected and found checksum, never a wrong answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/cache/block_cache.h"
#include "engine/fs/file_system.h"
#include "engine/model/cell.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/read_counters.h"
#include "engine/model/read_spec.h"
#include "engine/sstable/file_summary.h"

namespace sippar::engine {

enum class ReadAhead : uint8_t {
  kNone,  // for point reads: one block at a time, through the cache
  kScan,  // for long scans: up to 1 MiB of blocks per file read, none added to the cache
};

// How an iterator reads its file.
struct FileRead {
  FileRead(ReadAhead ahead) : read_ahead(ahead) {}
  ReadAhead read_ahead;
  TimeRange time;          // blocks wholly outside, without tombstones, are left out
  bool in_memory = false;  // blocks stay pinned with the file within the budget
  // Larger values are left out where that saves a block read.
  uint64_t value_size_max = kAnyValueSize;
  ReadCounters* counters = nullptr;  // may be null; must outlive the iterator
};

class SstableReader {
 public:
  // `cache` may be nullptr; it and `fs` must outlive the reader. `file_id` is the writer's.
  // kFailedPrecondition: the file has a newer format.
  [[nodiscard]] static StatusOr<std::shared_ptr<SstableReader>> Open(FileSystem* fs,
                                                                     std::string path,
                                                                     uint64_t file_id,
                                                                     BlockCache* cache);
  virtual ~SstableReader() = default;

  virtual std::unique_ptr<EntryIterator> NewIterator(const FileRead& read) const = 0;

  // False when the file certainly has no entry of that row (a RowPrefix) or column (a
  // ColumnPrefix). A row or family tombstone counts as an entry of all columns of its row. True
  // when the file has no such filter or a damaged one.
  virtual bool MayContainRow(std::string_view row_prefix) const = 0;
  virtual bool MayContainColumn(std::string_view column_prefix) const = 0;

  virtual const FileSummary& summary() const = 0;
  virtual const std::string& path() const = 0;
  virtual size_t blocks() const = 0;
  // Memory of the open file: index, filter and dictionary.
  virtual uint64_t memory_bytes() const = 0;

  // A sample for a dictionary: at most `bytes_max` bytes of decoded block content, in evenly spaced
  // pieces from the blocks that may hold keys in [first_key, limit_key); an empty limit is the end.
  [[nodiscard]] virtual StatusOr<std::string> Sample(std::string_view first_key,
                                                     std::string_view limit_key,
                                                     size_t bytes_max) const = 0;
  // Keys of this file that cut it into pieces of about `raw_bytes`, ascending; never its first key.
  virtual std::vector<std::string> SplitKeys(uint64_t raw_bytes) const = 0;
  // The stored bytes of the blocks that begin in [first_key, limit_key), with their share of index
  // and filter.
  virtual uint64_t StoredBytesBetween(std::string_view first_key,
                                      std::string_view limit_key) const = 0;
  // Reads every block and checks checksums, key order, counts, filter and dictionary. Returns the
  // first error.
  [[nodiscard]] virtual Status VerifyAll() const = 0;
  // Text for people: properties, sections, blocks, and all entries if asked. Damage is shown in
  // place.
  virtual std::string Dump(bool with_entries) const = 0;
};

}  // namespace sippar::engine
