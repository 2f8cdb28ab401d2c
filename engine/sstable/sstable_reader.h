// SstableReader: one open SSTable. Index, filter, properties and dictionary are in memory, so a
// lookup costs at most one block read (paper section 4). Immutable, thread safe; iterators are not
// and keep their reader alive. Every block is checked against its checksum when it comes from the
// disk: damage is kDataLoss naming file, offset, expected and found checksum, never a wrong answer.
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
  kNone,  // point reads: one block at a time, through the cache
  kScan,  // long scans: several blocks (up to 1 MiB) per file read, nothing put into the cache
};

// How an iterator over one file reads it.
struct FileRead {
  FileRead(ReadAhead ahead) : read_ahead(ahead) {}
  ReadAhead read_ahead;
  TimeRange time;          // blocks without a tombstone wholly outside are left out
  bool in_memory = false;  // blocks stay decoded with the file, while the budget lasts
  uint64_t value_size_max = kAnyValueSize;  // larger values are left out where that saves a block
  ReadCounters* counters = nullptr;         // may be null; outlives the iterator
};

class SstableReader {
 public:
  // `cache` may be nullptr; it and `fs` outlive the reader. `file_id` as given to the writer.
  // kFailedPrecondition when the file is of a newer format.
  [[nodiscard]] static StatusOr<std::shared_ptr<SstableReader>> Open(FileSystem* fs,
                                                                     std::string path,
                                                                     uint64_t file_id,
                                                                     BlockCache* cache);
  virtual ~SstableReader() = default;

  virtual std::unique_ptr<EntryIterator> NewIterator(const FileRead& read) const = 0;

  // False when no entry of that row (RowPrefix) or column (ColumnPrefix) is in the file. A column
  // also counts as contained when a row or family tombstone of its row is. True when the file has
  // no such filter, or when the filter is damaged.
  virtual bool MayContainRow(std::string_view row_prefix) const = 0;
  virtual bool MayContainColumn(std::string_view column_prefix) const = 0;

  virtual const FileSummary& summary() const = 0;
  virtual const std::string& path() const = 0;
  virtual size_t blocks() const = 0;
  // Index, filter and dictionary: what the open file holds in memory.
  virtual uint64_t memory_bytes() const = 0;

  // At most `bytes_max` bytes of decoded block content, in pieces taken at even distances from the
  // blocks that may hold keys in [first_key, limit_key); an empty limit is the end. For
  // dictionaries.
  [[nodiscard]] virtual StatusOr<std::string> Sample(std::string_view first_key,
                                                     std::string_view limit_key,
                                                     size_t bytes_max) const = 0;
  // Keys of this file that cut it into pieces of about `raw_bytes`, ascending, the first key of the
  // file not among them.
  virtual std::vector<std::string> SplitKeys(uint64_t raw_bytes) const = 0;
  // Stored bytes, index and filter included in proportion, of the blocks that begin in
  // [first_key, limit_key).
  virtual uint64_t StoredBytesBetween(std::string_view first_key,
                                      std::string_view limit_key) const = 0;
  // Reads every block: checksums, key order, counts, filter, dictionary. The first error found.
  [[nodiscard]] virtual Status VerifyAll() const = 0;
  // For people: properties, sections, blocks; with all entries if asked. Damage is told in place.
  virtual std::string Dump(bool with_entries) const = 0;
};

}  // namespace sippar::engine
