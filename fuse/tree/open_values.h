// Values of open files, held whole in memory within a budget from their first read on; opens of the
// same version share one. When there is no room, values that were not read for a moment go, and are
// read again when they are asked for. Used by tree_view. Thread safe.
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

// More readers than this do not wait for room: the threads left over answer all else.
inline constexpr unsigned kReadersWaitingMax = 48;

class OpenValues;

// One version that is open at least once.
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
  // Guarded by the mutex of OpenValues.
  uint64_t handles_ = 0;
  ValuePtr bytes_;  // null: not read yet, or gone to make room
  bool is_loading_ = false;
  int64_t used_at_ns_ = 0;
};
using OpenValuePtr = std::shared_ptr<OpenValue>;  // one open

// Outlives its values and their bytes.
class OpenValues {
 public:
  OpenValues(uint64_t budget_bytes, engine::Clock* clock)
      : budget_bytes_(budget_bytes), clock_(clock) {}

  // kOutOfRange: larger than the whole budget.
  [[nodiscard]] StatusOr<OpenValuePtr> Open(const Node& node, uint64_t size_bytes) EXCLUDES(mutex_);
  // The bytes, by `load` when they are not held. Waits for room, at most `timeout_us` (not at all
  // when kReadersWaitingMax wait): then kResourceExhausted.
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
  engine::CondVar changed_;  // room, or the end of a load
  uint64_t held_bytes_ GUARDED_BY(mutex_) = 0;
  unsigned waiting_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, OpenValue*> open_ GUARDED_BY(mutex_);
};

}  // namespace sippar::fuse
