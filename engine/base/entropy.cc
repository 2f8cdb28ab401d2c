// SPDX-License-Identifier: Apache-2.0
#include "engine/base/entropy.h"

#include <sys/random.h>

#include <cerrno>

#include "engine/base/check.h"
#include "engine/base/thread_runtime.h"

namespace sippar::engine {

uint64_t Entropy() {
  if (ThreadRuntime* runtime = ThreadRuntime::Current()) return runtime->Entropy();
  uint64_t bits = 0;
  ssize_t got = 0;
  do {
    got = ::getrandom(&bits, sizeof bits, 0);
  } while (got < 0 && errno == EINTR);
  // Linux has had the call since 3.17, and once it has entropy it never gives fewer than 256 bytes.
  CHECK(got == sizeof bits);
  return bits;
}

}  // namespace sippar::engine
