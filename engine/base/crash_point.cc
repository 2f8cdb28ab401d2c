// SPDX-License-Identifier: Apache-2.0
#include "engine/base/crash_point.h"

#include <unistd.h>

#include <cstdlib>
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
  // A copy, called outside the lock: an action may pass crash points itself, or sleep.
  std::shared_ptr<const std::function<void(const char*)>> action;
  {
    MutexLock lock(&action_mutex);
    action = action_now;
  }
  if (action && *action) (*action)(name);
}

void CrashPoints::ArmFromEnvironment() {
  const char* text = std::getenv("SIPPAR_CRASH_POINT");
  if (text == nullptr) return;
  std::string spec(text);
  size_t colon = spec.rfind(':');
  std::string point = spec.substr(0, colon);
  long n = colon == std::string::npos ? 1 : std::strtol(spec.c_str() + colon + 1, nullptr, 10);
  auto left = std::make_shared<std::atomic<long>>(n);
  Arm([point, left](const char* name) {
    if (point == name && --*left == 0) _exit(137);
  });
}

}  // namespace sippar::engine
