// Named points where a test may kill the process or fail the step. A point costs one relaxed load
// when nothing is armed. Armed by SIPPAR_CRASH_POINT=name:n in the environment (the n-th passage
// ends the process with exit code 137, as a kill -9 would), or by a test through Arm().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace sippar::engine {

class CrashPoints {
 public:
  // `action` runs at every passage of any point with the point's name; empty disarms.
  static void Arm(std::function<void(const char* name)> action);
  // Reads SIPPAR_CRASH_POINT once; called by main().
  static void ArmFromEnvironment();
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
// A name that is handed to CRASH_POINT elsewhere: so a search of the sources for both finds all.
#define CRASH_POINT_NAME(name) name
