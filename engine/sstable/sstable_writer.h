// Writes one SSTable (paper section 4; FORMAT.md "SSTable"): entries in ascending key order, cut
// into compressed blocks, then dictionary, filter, index, properties and footer. Used by minor,
// merging and major compactions. Not thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/fs/file_system.h"
#include "engine/sstable/file_summary.h"
#include "engine/sstable/sstable_options.h"

namespace sippar::engine {

class SstableWriter {
 public:
  // `sample` has bytes typical of the keys and values, used as a raw-content zstd dictionary when
  // the options ask for one: at most kDictionarySizeMax bytes; empty means none. `file_id` becomes
  // part of every checksum, so the file must be opened under the same id.
  [[nodiscard]] static StatusOr<std::unique_ptr<SstableWriter>> Create(FileSystem* fs,
                                                                       std::string path,
                                                                       uint64_t file_id,
                                                                       SstableOptions options,
                                                                       std::string sample);
  virtual ~SstableWriter() = default;  // before Finish(): like Abandon()

  // Keys must be cell keys (cell_key.h) and strictly ascend, else kInvalidArgument with the key.
  // After any error only Abandon() may be called.
  [[nodiscard]] virtual Status Add(std::string_view key, std::string_view value) = 0;
  virtual uint64_t raw_bytes() const = 0;
  virtual uint64_t entries() const = 0;
  // Size of the index so far, which holds one whole key per block and may not exceed
  // kSectionRawSizeMax.
  virtual uint64_t index_bytes() const = 0;
  // Bytes of the finished blocks so far: the file's size on disk without its tail.
  virtual uint64_t stored_bytes() const = 0;
  // Writes the tail, syncs, closes, and renames the file from PATH.tmp to PATH. The caller syncs
  // the directory, once for all files it made. A file without entries is allowed.
  [[nodiscard]] virtual StatusOr<FileSummary> Finish() = 0;
  // Closes and removes the file, best effort: a file that stays is swept as an orphan.
  virtual void Abandon() = 0;
};

}  // namespace sippar::engine
