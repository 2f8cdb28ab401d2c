// RowFilter of the API -> engine::RowFilter. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/proto/data.pb.h"
#include "engine/base/status.h"
#include "engine/read/row_filter.h"

namespace sippar::cluster {

// Valid when OK. A filter with nothing set passes all.
[[nodiscard]] StatusOr<engine::RowFilter> FilterFromProto(
    const google::bigtable::v2::RowFilter& proto);

}  // namespace sippar::cluster
