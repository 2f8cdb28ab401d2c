// Beginning a stream of changes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/api/change_api.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// Reads from `changes` at once, without waiting, so that "from now on" begins with the call that
// asks for the stream, and an error of its request is an error of that call. What was read is the
// stream's first batch.
[[nodiscard]] StatusOr<std::unique_ptr<ChangeStream>> BeginChanges(
    std::unique_ptr<ChangeStream> changes);

}  // namespace sippar::cluster
