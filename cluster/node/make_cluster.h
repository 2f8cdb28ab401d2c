// `sippar admin init` and `sippar admin collapse`, given an open lock service and file system: init
// makes an empty directory, or the store of one process, the store of a cluster of many processes,
// and collapse does the reverse. Every step can be killed and repeated. cluster/README.md, "From
// one to many and back", has the order of the steps and why it is safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/lock/lock_service.h"
#include "cluster/node/target.h"
#include "engine/base/clock.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

struct ClusterPlan {
  LockService* locks = nullptr;  // lock service of the cluster
  engine::FileSystem* fs = nullptr;
  std::string target;  // name of the cluster in messages and in the file TARGET
  StorePlace store;    // where the files of the cluster are to be; `fs` has them
  int64_t session_us = 10'000'000;
  engine::Clock* clock = engine::Clock::System();
  bool allows_unsafe_store = false;  // the directory may lie on a mount that answers from caches
};

// Content of a directory that is to become the directory of a cluster.
struct DirectoryLook {
  bool is_store = false;            // it has STORE: one process opened it as its store
  std::string id;                   // id in the file CLUSTER; "": the file is missing
  std::string target;               // target in the file TARGET; "": the file is missing
  std::vector<std::string> others;  // names other than those that an interrupted init leaves
};
enum class Making : uint8_t {
  kFill,    // fill an empty directory, or one that an init began to fill
  kCarry,   // carry the lock files of a store of one process
  kFinish,  // the lock files were carried before: remove them and complete the file `store`
};
// Decides how to make the cluster. `known_id`: the id in the lock service; "": none. Pure.
// kFailedPrecondition: the directory belongs to another cluster, or holds something else.
// kDataLoss: it is a store without CLUSTER.
[[nodiscard]] StatusOr<Making> DecideMaking(const DirectoryLook& look, const std::string& directory,
                                            const std::string& target, const std::string& known_id);

// Makes the cluster of `plan`. Returns false, and writes nothing, if the cluster was already
// complete with this store. kFailedPrecondition: the reasons of DecideMaking, or the cluster has
// another store, or the directory of its store is not mounted, or lies on a mount that answers from
// caches. kUnavailable: a process has the
// store open, or the lock service does not answer.
[[nodiscard]] StatusOr<bool> MakeClusterOf(const ClusterPlan& plan);

// Makes the cluster's directory a store of one process again, and removes the cluster from the lock
// service. kFailedPrecondition: a member lives (the message names it), or the directory does not
// belong to this cluster; kNotFound: there is no cluster.
[[nodiscard]] Status CollapseClusterOf(const ClusterPlan& plan);

}  // namespace sippar::cluster
