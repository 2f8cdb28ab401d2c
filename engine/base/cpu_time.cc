// SPDX-License-Identifier: Apache-2.0
#include "engine/base/cpu_time.h"

#include <sys/resource.h>

namespace sippar::engine {

int64_t ProcessCpuMicros() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto micros = [](const timeval& time) { return int64_t{time.tv_sec} * 1'000'000 + time.tv_usec; };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

}  // namespace sippar::engine
