// The roles of a store over a file system that keeps changes to itself: METADATA is read as a start
// would read it, and nothing is changed. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "cluster/node/local_cluster.h"
#include "engine/fs/overlay_file_system.h"

namespace sippar::cluster {

// METADATA can be read when OK. `overlay` and `locks`, which are opened over it, outlive it.
[[nodiscard]] StatusOr<std::unique_ptr<LocalCluster>> StartLookingOn(
    engine::OverlayFileSystem* overlay, const std::string& directory, EmbeddedLockService* locks);

}  // namespace sippar::cluster
