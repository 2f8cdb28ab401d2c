// The file TARGET: a directory with this file belongs to a cluster of many processes, whose lock
// service is outside of the directory. So no program may open it as a store of one process. The
// file is text, so that an operator can read and repair it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// Returns the target that TARGET names. kNotFound: the directory has no such file; kDataLoss: the
// file names no target.
[[nodiscard]] StatusOr<std::string> ReadTargetFile(engine::FileSystem* fs,
                                                   const std::string& directory);
// Returns the text of a TARGET that names `target`.
std::string TargetFileText(const std::string& target);

// Fails with kFailedPrecondition, naming the cluster, if the directory belongs to a cluster.
[[nodiscard]] Status RefuseClusters(engine::FileSystem* fs, const std::string& directory);
// Calls engine::FindStore for a program that uses the store alone: also refuses a directory that
// belongs to a cluster of many processes.
[[nodiscard]] StatusOr<bool> FindStoreOfOne(engine::FileSystem* fs, const std::string& directory,
                                            bool create_if_missing);
// Returns the error with which RefuseClusters refuses `directory`. `target`: what TARGET names.
Status BelongsTo(const std::string& directory, const std::string& target);

}  // namespace sippar::cluster
