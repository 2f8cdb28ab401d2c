// Reads all cells of one table and writes them as lines of a dump.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "cli/dump/dump_output.h"
#include "cluster/client/client.h"
#include "engine/base/thread.h"

namespace sippar::cli {

// The progress of a dump. The reading threads update it; the thread that displays it reads it.
struct DumpProgress {
  std::atomic<uint64_t> cells{0}, tablets_done{0}, tablets{0};
};

class TableDump {
 public:
  // All arguments must outlive the object. `terminal`: the lines go to a terminal.
  TableDump(cluster::Client* client, const engine::TableSchema& schema,
            const std::vector<engine::RowRange>& ranges, bool terminal, DumpOutput* output,
            DumpProgress* progress)
      : client_(client),
        schema_(schema),
        ranges_(ranges),
        terminal_(terminal),
        output_(output),
        progress_(progress) {}

  // Reads `jobs` ranges in parallel. Calls `tick` often on the calling thread; an error from `tick`
  // ends the dump and is returned.
  [[nodiscard]] StatusOr<CellSum> Run(size_t jobs, const std::function<Status()>& tick);

 private:
  void Work() EXCLUDES(mutex_);
  [[nodiscard]] StatusOr<CellSum> DumpPiece(size_t piece);

  cluster::Client* const client_;
  const engine::TableSchema& schema_;
  const std::vector<engine::RowRange>& ranges_;
  const bool terminal_;
  DumpOutput* const output_;
  DumpProgress* const progress_;
  cluster::CancelFlag cancel_ = std::make_shared<std::atomic<bool>>(false);
  engine::Mutex mutex_;
  engine::CondVar ended_;
  size_t next_ GUARDED_BY(mutex_) = 0;  // the first range that no thread has begun
  size_t working_ GUARDED_BY(mutex_) = 0;
  CellSum sum_ GUARDED_BY(mutex_);
  Status status_ GUARDED_BY(mutex_);  // the first error
};

}  // namespace sippar::cli
