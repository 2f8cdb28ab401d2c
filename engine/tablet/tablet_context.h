// What the tablets of one server share: files, clock, log, caches and counters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/metrics.h"
#include "engine/compaction/compaction_history.h"
#include "engine/log/commit_log.h"
#include "engine/read/read_totals.h"
#include "engine/tablet/row_lock.h"
#include "engine/tablet/tablet_state.h"
#include "engine/tablet/tablet_version.h"
#include "engine/tablet/unpublished_files.h"

namespace sippar::engine {

// Everything here outlives the tablets.
struct TabletContext {
  FileSystem* fs = nullptr;
  Clock* clock = nullptr;
  CommitLog* log = nullptr;  // null until recovery has ended
  TabletStateWriter* states = nullptr;
  BlockCache* cache = nullptr;
  RowLocks* row_locks = nullptr;
  Metrics* metrics = nullptr;
  std::shared_ptr<FileRegistry> files;
  std::function<std::shared_ptr<ReadTotals>(uint64_t table_id)> read_totals;
  CompactionHistory* compactions = nullptr;
  std::function<StatusOr<uint64_t>()> next_file_id;
  UnpublishedFiles* unpublished = nullptr;
  std::atomic<int64_t>* memtable_bytes = nullptr;  // sum over all tablets (memtable_bytes.h)
  const std::atomic<bool>* stopping = nullptr;     // flag that ends compactions early when true
  bool paranoid_flush = false;                     // the option of this name in StoreOptions
  // Directory of the change archive. It has a subdirectory for each table with a change stream,
  // made before the table's schema says that it has one. Empty: no changes are kept.
  std::string change_directory;
};

}  // namespace sippar::engine
