// Writes the entries of some sources, merged and cleaned, into new SSTables: the I/O of minor,
// merging and major compactions. Installs nothing: the tablet does, from the returned summaries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/compaction/rate_limiter.h"
#include "engine/fs/file_system.h"
#include "engine/read/visibility_iterator.h"
#include "engine/sstable/file_summary.h"
#include "engine/sstable/sstable_options.h"

namespace sippar::engine {

struct CompactionRequest {
  FileSystem* fs = nullptr;
  SstableOptions options;
  std::function<StatusOr<uint64_t>()> next_file_id;
  std::function<std::string(uint64_t file_id)> path_of;
  std::unique_ptr<EntryIterator> entries;  // merged sources, raw
  VisibilityIterator::Options visibility;  // mode, GC rules, now
  std::vector<std::string> boundaries;     // keys at which a new file begins, ascending
  // Dictionary sample for the output holding [first, limit) keys ("" = open end).
  std::function<StatusOr<std::string>(std::string_view first, std::string_view limit)> sample;
  const std::atomic<bool>* cancel = nullptr;
  RateLimiter* limiter = nullptr;  // nullptr: as fast as it goes
};

// Files in key order; none when everything was garbage. On error the half-made files are removed,
// best effort; whatever is left is an orphan that the next start sweeps. The directory is synced.
[[nodiscard]] StatusOr<std::vector<FileSummary>> RunCompaction(CompactionRequest request,
                                                               const std::string& directory);

}  // namespace sippar::engine
