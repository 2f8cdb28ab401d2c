// Writes one SSTable (paper section 4; FORMAT.md "SSTable"): entries in ascending key order, cut
// into compressed blocks, then dictionary, filter, index, properties and footer. Used by the minor,
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
  // `sample`: bytes representative of the keys and values, used as raw-content zstd dictionary when
  // the options ask for one. At most kDictionarySizeMax bytes of it count; empty means none.
  // `file_id` becomes part of every checksum: it must be the id under which the file is opened.
  [[nodiscard]] static StatusOr<std::unique_ptr<SstableWriter>> Create(FileSystem* fs,
                                                                       std::string path,
                                                                       uint64_t file_id,
                                                                       SstableOptions options,
                                                                       std::string sample);
  virtual ~SstableWriter() = default;  // without Finish(): as Abandon()

  // Keys strictly ascend and are cell keys (cell_key.h): kInvalidArgument otherwise, naming the
  // key; the writer is then of no further use but Abandon(), as after any error.
  [[nodiscard]] virtual Status Add(std::string_view key, std::string_view value) = 0;
  virtual uint64_t raw_bytes() const = 0;
  virtual uint64_t entries() const = 0;
  // Of the index so far, which holds a whole key a block and may not pass kSectionRawSizeMax.
  virtual uint64_t index_bytes() const = 0;
  // Bytes of finished blocks so far: what the file takes on disk, without its tail.
  virtual uint64_t stored_bytes() const = 0;
  // Writes the tail, syncs, closes, and gives the file its name, which was PATH.tmp until now.
  // Syncing the directory is the caller's business, once for all
  // files it made. A file without entries is allowed.
  [[nodiscard]] virtual StatusOr<FileSummary> Finish() = 0;
  // Closes and removes the file, best effort: what remains is swept as an orphan.
  virtual void Abandon() = 0;
};

}  // namespace sippar::engine
