// Table name -> id, from the lock service's files of tables, remembered. Thread safe.
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
  // `session` outlives the directory.
  explicit TableDirectory(LockSession* session);

  // kNotFound: no such table. A name that was dropped, or made anew, is known by its old id until
  // Forget: ids are never reused, so METADATA has no tablets for it.
  [[nodiscard]] StatusOr<uint64_t> Find(const std::string& name) {
    {
      engine::MutexLock lock(&mutex_);
      auto found = ids_.find(name);
      if (found != ids_.end()) [[likely]]
        return found->second;
    }
    return LookUp(name);
  }
  void Forget(const std::string& name, uint64_t id);

 private:
  StatusOr<uint64_t> LookUp(const std::string& name);

  LockSession* const session_;
  engine::Mutex mutex_;
  std::unordered_map<std::string, uint64_t> ids_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
