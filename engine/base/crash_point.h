// Named points at which a test can kill the process or run an action. When nothing is armed, a
// point costs one relaxed load. Armed by SIPPAR_CRASH_POINT=name:n in the environment (the n-th
// passage ends the process with exit code 137, like kill -9), or by Arm(). Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace sippar::engine {

class CrashPoints {
 public:
  // `action` runs at every passage of any point and receives its name; an empty one disarms.
  static void Arm(std::function<void(const char* name)> action);
  // Reads SIPPAR_CRASH_POINT; main() calls it once.
  static void ArmFromEnvironment();
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
// Marks a name that reaches CRASH_POINT through a variable, so that a search of the sources for
// both macros finds every crash point.
#define CRASH_POINT_NAME(name) name
