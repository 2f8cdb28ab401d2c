// The steps by which flushes and compactions of a tablet make a run: build the request, open the
// new files, and remove them if the job fails.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/compaction/compaction_job.h"
#include "engine/tablet/tablet_context.h"

namespace sippar::engine {

// A request that writes files of `group`; the caller adds at least the entries, the visibility
// options and the sample.
CompactionRequest NewCompactionRequest(const TabletContext& context, const TableSchema& schema,
                                       const std::string& group, bool is_final);
// Makes the TabletRun that `state` describes. Opens none of its files.
TabletRun FindRun(const TabletContext& context, const RunState& state);
// Opens all new files and returns them as a run. If one of them does not open, all are removed, and
// no state ever names them.
[[nodiscard]] StatusOr<TabletRun> OpenOutput(const TabletContext& context,
                                             std::vector<FileSummary> files);
// Requires: no state names the run. Best effort: a file that stays is an orphan, which the next
// start of the store or the master of the cluster removes.
void RemoveOutput(const TabletContext& context, const TabletRun& run);

}  // namespace sippar::engine
