// OpenValues: the values of open files. The first read of a value reads it whole and holds it in
// memory within a budget; all opens of one version share it. When room is needed, values that were
// idle for a while are dropped and read again on demand. Used by fuse/directories. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"
#include "fuse/tree/node.h"

namespace sippar::fuse {

using ValuePtr = std::shared_ptr<const std::string>;

// Limit of readers that wait for room at the same time; any further reader gets an error at once.
// The limit leaves threads of the mount (kernel/mount.cc) free to answer other requests.
inline constexpr unsigned kReadersWaitingMax = 48;

class OpenValues;

// A version that at least one handle has open.
class OpenValue {
 public:
  const Node& node() const { return node_; }

 private:
  friend class OpenValues;
  OpenValue(std::string key, const Node& node, uint64_t size_bytes)
      : key_(std::move(key)), node_(node), size_bytes_(size_bytes) {}

  const std::string key_;
  const Node node_;
  const uint64_t size_bytes_;
  // The members below are guarded by the mutex of OpenValues.
  uint64_t handles_ = 0;
  ValuePtr bytes_;  // null: not read yet, or dropped to make room
  bool is_loading_ = false;
  int64_t used_at_ns_ = 0;
};
// One open of a version, which ends when the last copy of the pointer is destroyed.
using OpenValuePtr = std::shared_ptr<OpenValue>;

// Must outlive the values and the bytes that it returns.
class OpenValues {
 public:
  OpenValues(uint64_t budget_bytes, engine::Clock* clock)
      : budget_bytes_(budget_bytes), clock_(clock) {}

  // Returns TooLarge if the value is larger than the whole budget.
  [[nodiscard]] StatusOr<OpenValuePtr> Open(const Node& node, uint64_t size_bytes) EXCLUDES(mutex_);
  // Returns the bytes; calls `load`, without the lock, if they are not held. Waits for room for up
  // to `timeout_us`; kResourceExhausted if there is none then, or at once if kReadersWaitingMax
  // readers are already waiting. kDeadlineExceeded if another reader is still loading the value.
  [[nodiscard]] StatusOr<ValuePtr> Bytes(OpenValue* value, int64_t timeout_us,
                                         const std::function<StatusOr<std::string>()>& load)
      EXCLUDES(mutex_);
  uint64_t held_bytes() EXCLUDES(mutex_);

 private:
  void Close(OpenValue* value) EXCLUDES(mutex_);
  void Release(uint64_t size_bytes) EXCLUDES(mutex_);
  ValuePtr TakeIdle(int64_t idle_us_min) REQUIRES(mutex_);
  StatusOr<ValuePtr> Load(OpenValue* value, const std::function<StatusOr<std::string>()>& load)
      EXCLUDES(mutex_);
  Status Wait(const OpenValue& value, int64_t left_us) REQUIRES(mutex_);

  const uint64_t budget_bytes_;
  engine::Clock* const clock_;
  engine::Mutex mutex_;
  engine::CondVar changed_;  // notified when there is room, and when a load ends
  uint64_t held_bytes_ GUARDED_BY(mutex_) = 0;
  unsigned waiting_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, OpenValue*> open_ GUARDED_BY(mutex_);
};

}  // namespace sippar::fuse
