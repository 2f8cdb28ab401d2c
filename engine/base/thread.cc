// Thread start. SPDX-License-Identifier: Apache-2.0
#include "engine/base/thread.h"

#include <pthread.h>

#include <algorithm>

namespace sippar::engine {

size_t HardwareThreads() { return std::max(1u, std::thread::hardware_concurrency()); }

Thread::Thread(const std::string& name, std::function<void()> body)
    : thread_([short_name = name.substr(0, 15), body = std::move(body)] {
        pthread_setname_np(pthread_self(), short_name.c_str());
        body();
      }) {}

}  // namespace sippar::engine
