// Runs the roles of a store to read METADATA as a start would read it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "cluster/node/local_cluster.h"
#include "engine/fs/overlay_file_system.h"

namespace sippar::cluster {

// The levels of METADATA (paper section 5.1) that can be read.
enum class MetadataLevel : uint8_t {
  kRoot,  // the root tablet: records of METADATA's own tablets
  kAll,   // records of every tablet
};

// Starts a cluster that can read METADATA up to `level` and serves no tablets beyond that level. It
// flushes nothing. Changes of records through it are durable in `fs`. `fs`, and `locks`, which was
// opened over `fs`, outlive the result.
[[nodiscard]] StatusOr<std::unique_ptr<LocalCluster>> StartMetadata(engine::FileSystem* fs,
                                                                    const std::string& directory,
                                                                    EmbeddedLockService* locks,
                                                                    MetadataLevel level);

// Starts all roles over a file system that keeps all changes in memory, so that the store is not
// changed. When OK, METADATA can be read. `overlay`, and `locks`, which was opened over `overlay`,
// outlive the result.
[[nodiscard]] StatusOr<std::unique_ptr<LocalCluster>> StartLookingOn(
    engine::OverlayFileSystem* overlay, const std::string& directory, EmbeddedLockService* locks);

}  // namespace sippar::cluster
