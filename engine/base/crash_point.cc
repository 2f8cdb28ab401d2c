// SPDX-License-Identifier: Apache-2.0
#include "engine/base/crash_point.h"

#include <memory>

#include "engine/base/thread.h"

namespace sippar::engine {
namespace {
Mutex action_mutex;
std::shared_ptr<const std::function<void(const char*)>> action_now GUARDED_BY(action_mutex);
}  // namespace

std::atomic<bool> CrashPoints::armed_{false};

void CrashPoints::Arm(std::function<void(const char*)> action) {
  MutexLock lock(&action_mutex);
  armed_ = static_cast<bool>(action);
  action_now = std::make_shared<const std::function<void(const char*)>>(std::move(action));
}

void CrashPoints::PassArmed(const char* name) {
  // Calls a copy of the action without the lock, because an action may sleep, or pass crash points
  // itself.
  std::shared_ptr<const std::function<void(const char*)>> action;
  {
    MutexLock lock(&action_mutex);
    action = action_now;
  }
  if (action && *action) (*action)(name);
}

}  // namespace sippar::engine
