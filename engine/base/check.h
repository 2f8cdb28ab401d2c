// CHECK: an assertion about this program's own logic, also active in release builds. Ends the
// process when the condition is false. Bytes from disk, network or users are never checked with it:
// they are decoded with a Status.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

namespace sippar {
[[noreturn]] inline void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, condition);
  std::abort();
}
}  // namespace sippar

#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) [[unlikely]]                           \
      ::sippar::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)
