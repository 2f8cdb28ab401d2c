// The directory of a store becomes a cluster's, once. What it holds is written down as manifests of
// backups, which name its SSTables as they are, and as records in the lock service; the first
// master makes the tables of them (ClusterBackups::AdoptTables); change streams begin anew. Until
// EndUpgrade the directory is a whole store, so a crash at any point begins again; afterwards it is
// none. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/lock/lock_service.h"
#include "engine/store/store_options.h"

namespace sippar::cluster {

constexpr int kClusterFormat = 2;  // in the file STORE, so older programs refuse the directory

// The directory holds a store that is no cluster yet.
[[nodiscard]] StatusOr<bool> IsStore(engine::FileSystem* fs, const std::string& directory);
// Opens the store, so its log is in its SSTables afterwards. Errors as engine::OldStore::Open.
[[nodiscard]] Status BeginUpgrade(const std::string& directory, const engine::StoreOptions& options,
                                  LockSession* session);
// The step that counts, and the removal of what is left; again after a crash.
[[nodiscard]] Status EndUpgrade(engine::FileSystem* fs, const std::string& directory);

}  // namespace sippar::cluster
