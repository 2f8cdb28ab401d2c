// Runs the roles of a store over a file system that keeps all changes in memory: METADATA is read
// as a start would read it, and the store is not changed. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "cluster/node/local_cluster.h"
#include "engine/fs/overlay_file_system.h"

namespace sippar::cluster {

// When OK, METADATA can be read. `overlay`, and `locks`, which is opened over it, outlive the
// result.
[[nodiscard]] StatusOr<std::unique_ptr<LocalCluster>> StartLookingOn(
    engine::OverlayFileSystem* overlay, const std::string& directory, EmbeddedLockService* locks);

}  // namespace sippar::cluster
