// Tables with a small log for tests with random histories, and a read of all their cells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/hosted_tables.h"
#include "tests/support/random_history.h"
#include "tests/support/reference_table.h"

namespace sippar::engine {

inline StoreOptions LadderOptions(FileSystem* fs, Clock* clock) {
  StoreOptions options;
  options.fs = fs;
  options.clock = clock;
  options.create_if_missing = true;
  options.background = false;      // background work runs only when the history asks for it
  options.log_segment_size = 600;  // small, for many rotations
  return options;
}

// Returns all cells of the read over all tablets, without sequence numbers, or the first error.
inline StatusOr<std::vector<Cell>> ReadAll(HostedTables* store, const ReadSpec& read) {
  std::vector<Cell> cells;
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, store->Tablets("t"));
  if (read.reverse) std::reverse(tablets.begin(), tablets.end());
  for (const auto& tablet : tablets) {
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> stream, tablet->Read(read));
    for (; stream->Valid(); stream->Next()) {
      cells.emplace_back(stream->cell()).sequence = 0;
    }
    RETURN_IF_ERROR(stream->status());
  }
  return cells;
}

}  // namespace sippar::engine
