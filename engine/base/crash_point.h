// Named points at which a test can kill the process or run an action. When nothing is armed, a
// point costs one relaxed load. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>

namespace sippar::engine {

class CrashPoints {
 public:
  // `action` is called whenever a thread reaches any crash point, with the name of the point. An
  // empty `action` disarms all points.
  static void Arm(std::function<void(const char* name)> action);
  // Called through CRASH_POINT at the point `name`.
  static void Pass(const char* name) {
    if (armed_.load(std::memory_order_relaxed)) [[unlikely]]
      PassArmed(name);
  }

 private:
  static void PassArmed(const char* name);
  static std::atomic<bool> armed_;
};

}  // namespace sippar::engine

#define CRASH_POINT(name) ::sippar::engine::CrashPoints::Pass(name)
