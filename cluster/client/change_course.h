// Streams the changes of a partition across moves of its tablet: when the tablet has moved, the
// stream continues on the new server after the last change that it returned; when the tablet has
// split or merged, the stream ends and names the new partitions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cluster/api/data_api.h"

namespace sippar::cluster {

// The calls by which the stream reaches the tablets of its table.
struct ChangeSources {
  // Calls TabletService::ReadChanges on the tablet that has the partition's first row, and sets
  // *rows to the range of that tablet.
  std::function<StatusOr<std::unique_ptr<ChangeStream>>(const ChangesRequest& request,
                                                        RowRange* rows)>
      open;
  std::function<StatusOr<std::vector<RowRange>>()> ranges;  // ranges of all tablets
};

// Returns the errors of DataApi::ReadChanges.
[[nodiscard]] StatusOr<std::unique_ptr<ChangeStream>> NewChangeCourse(ChangeSources sources,
                                                                      ChangesRequest request);

}  // namespace sippar::cluster
