// Turns the directory of an older store into a cluster's, once. The store's tables and backups
// are written as manifests of backups, which name its SSTables where they are, and its records go
// to the lock service; the first master makes the tables of the manifests
// (ClusterBackups::AdoptTables). Change streams start over. Until EndUpgrade the
// directory is still a whole store, so after a crash the upgrade begins again; afterwards it is a
// store no more. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/lock/lock_service.h"
#include "engine/store/store_options.h"

namespace sippar::cluster {

// Written to the file STORE, so that older programs refuse the directory.
constexpr int kClusterFormat = 2;

// True if the directory holds a store that is no cluster yet.
[[nodiscard]] StatusOr<bool> IsStore(engine::FileSystem* fs, const std::string& directory);
// Opens the store, which flushes its log to SSTables. Errors as engine::OldStore::Open.
[[nodiscard]] Status BeginUpgrade(const std::string& directory, const engine::StoreOptions& options,
                                  LockSession* session);
// Ends the upgrade: removes CATALOG, which is the step that counts, and then the rest of the store.
// Repeatable after a crash.
[[nodiscard]] Status EndUpgrade(engine::FileSystem* fs, const std::string& directory);

}  // namespace sippar::cluster
