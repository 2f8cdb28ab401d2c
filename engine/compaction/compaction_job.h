// Writes merged and cleaned entries into new SSTables: the I/O of minor, merging and major
// compactions. The job does not install the new files; the tablet does so with the returned
// summaries.
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
  std::unique_ptr<EntryIterator> entries;  // the merged inputs, garbage included
  VisibilityIterator::Options visibility;  // mode, GC rules, current time
  std::vector<std::string> boundaries;     // keys at which a new file begins, ascending
  // Sample for the dictionary of the output that holds keys in [first, limit); an empty limit is
  // open.
  std::function<StatusOr<std::string>(std::string_view first, std::string_view limit)> sample;
  const std::atomic<bool>* cancel = nullptr;
  RateLimiter* limiter = nullptr;  // null: unlimited
};

// Writes the entries to new files, syncs `directory` and returns the files in key order; none if
// everything was garbage. On error it tries to remove the files made so far. No tablet state names
// a file that it cannot remove: the next start of the directory, or the cluster's master, removes
// that file.
[[nodiscard]] StatusOr<std::vector<FileSummary>> RunCompaction(CompactionRequest request,
                                                               const std::string& directory);

}  // namespace sippar::engine
