// The file TARGET: a directory that has it belongs to a cluster of many processes, whose lock
// service is not in the directory. So no program may open it as a store of one process. Text, so
// that an operator can read and mend it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// The target that TARGET names. kNotFound: the directory has no such file; kDataLoss: it names
// nothing.
[[nodiscard]] StatusOr<std::string> ReadTargetFile(engine::FileSystem* fs,
                                                   const std::string& directory);
// Text of a TARGET that names `target`.
std::string TargetFileText(const std::string& target);

// kFailedPrecondition, naming the cluster, if the directory belongs to one.
[[nodiscard]] Status RefuseClusters(engine::FileSystem* fs, const std::string& directory);
// engine::FindStore for a program that uses the store alone: also refuses a directory that belongs
// to a cluster of many processes.
[[nodiscard]] StatusOr<bool> FindStoreOfOne(engine::FileSystem* fs, const std::string& directory,
                                            bool create_if_missing);
// The same refusal; `target` is what TARGET names.
Status BelongsTo(const std::string& directory, const std::string& target);

}  // namespace sippar::cluster
