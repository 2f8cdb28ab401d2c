// Converts a RowFilter of the Cloud Bigtable API to an engine::RowFilter. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/proto/data.pb.h"
#include "engine/base/status.h"
#include "engine/read/row_filter.h"

namespace sippar::cluster {

// The result has been validated. A filter in which nothing is set passes all cells.
// kInvalidArgument: too large, nested too deeply, or invalid.
[[nodiscard]] StatusOr<engine::RowFilter> FilterFromProto(
    const google::bigtable::v2::RowFilter& proto);

}  // namespace sippar::cluster
