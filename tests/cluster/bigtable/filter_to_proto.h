// Converts the random filters of the engine's tests into the form that clients send.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/proto/data.pb.h"
#include "engine/read/row_filter.h"

namespace sippar::cluster {

void ToProto(const engine::RowFilter& filter, google::bigtable::v2::RowFilter* out);

}  // namespace sippar::cluster
