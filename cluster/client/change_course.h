// The changes of a partition, whoever serves its tablet: goes on behind what was given when the
// tablet has moved, ends when others have its rows. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cluster/api/data_api.h"

namespace sippar::cluster {

// How the tablets of a table are reached.
struct ChangeSources {
  // The changes of a partition, from the tablet with its first row, as TabletService::ReadChanges;
  // *rows: the tablet's.
  std::function<StatusOr<std::unique_ptr<ChangeStream>>(const ChangesRequest& request,
                                                        RowRange* rows)>
      open;
  std::function<StatusOr<std::vector<RowRange>>()> ranges;  // of all tablets
};

// Errors as DataApi::ReadChanges.
[[nodiscard]] StatusOr<std::unique_ptr<ChangeStream>> NewChangeCourse(ChangeSources sources,
                                                                      ChangesRequest request);

}  // namespace sippar::cluster
