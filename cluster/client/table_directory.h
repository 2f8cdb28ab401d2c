// Maps table names to ids, which it reads from the table files of the lock service and caches.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "cluster/lock/lock_service.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

class TableDirectory {
 public:
  // `session` must outlive the directory.
  explicit TableDirectory(LockSession* session);

  // Returns the id of a table. kNotFound: table not found. After a table was dropped, or dropped
  // and created again, the old id is returned until Forget. This does no harm: ids are never
  // reused, so METADATA has no tablets for the old id, or only those of a dropped table that is
  // kept, which no server serves, and the caller notices.
  [[nodiscard]] StatusOr<uint64_t> Find(const std::string& name) {
    {
      engine::MutexLock lock(&mutex_);
      auto found = ids_.find(name);
      if (found != ids_.end()) [[likely]]
        return found->second;
    }
    return LookUp(name);
  }
  // Removes the name from the cache if it still has this id.
  void Forget(const std::string& name, uint64_t id);

 private:
  StatusOr<uint64_t> LookUp(const std::string& name);

  LockSession* const session_;
  engine::Mutex mutex_;
  std::unordered_map<std::string, uint64_t> ids_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
