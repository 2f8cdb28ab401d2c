// Starts a change stream before it is given to its reader.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/api/change_api.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// Reads the first batch of `changes` at once, without waiting for changes, and returns a stream
// that begins with that batch. Without this, a stream "from now on" would start only at its first
// Next, and an invalid request would be reported only there.
[[nodiscard]] StatusOr<std::unique_ptr<ChangeStream>> BeginChanges(
    std::unique_ptr<ChangeStream> changes);

}  // namespace sippar::cluster
