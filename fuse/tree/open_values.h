// Values of open files, held whole in memory within a budget; opens of the same version share one.
// Used by tree_view. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"

namespace sippar::fuse {

using ValuePtr = std::shared_ptr<const std::string>;

// More openers than this do not wait for room: the threads left over answer the reads and closes
// that make it.
inline constexpr unsigned kOpenWaitersMax = 48;

class OpenValues {
 public:
  OpenValues(uint64_t budget_bytes, engine::Clock* clock)
      : budget_bytes_(budget_bytes), clock_(clock) {}

  // The value under `key`, by `load` when nobody has it open. Waits for room, at most `timeout_us`
  // (not at all behind kOpenWaitersMax others): then kResourceExhausted. kOutOfRange: larger than
  // the whole budget. The pointer must not outlive this object.
  [[nodiscard]] StatusOr<ValuePtr> Open(const std::string& key, uint64_t size_bytes,
                                        int64_t timeout_us,
                                        const std::function<StatusOr<std::string>()>& load);
  uint64_t held_bytes();

 private:
  ValuePtr FindOpen(const std::string& key) REQUIRES(mutex_);
  void Release(const std::string& key, uint64_t size_bytes);

  const uint64_t budget_bytes_;
  engine::Clock* const clock_;
  engine::Mutex mutex_;
  engine::CondVar room_;
  uint64_t held_bytes_ GUARDED_BY(mutex_) = 0;
  unsigned waiters_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, std::weak_ptr<const std::string>> open_ GUARDED_BY(mutex_);
};

}  // namespace sippar::fuse
