// SPDX-License-Identifier: Apache-2.0
#include "engine/base/thread.h"

#include <pthread.h>

#include "engine/base/signal_stack.h"

namespace sippar::engine {

size_t HardwareThreads() {
  if (ThreadRuntime* runtime = ThreadRuntime::Current()) return runtime->HardwareThreads();
  return std::max(1u, std::thread::hardware_concurrency());
}

Thread::Thread(const std::string& name, std::function<void()> body) {
  if (ThreadRuntime* runtime = ThreadRuntime::Current()) {
    simulated_ = runtime->Start(name, std::move(body));
    return;
  }
  // pthread_setname_np refuses names of more than 15 characters instead of cutting them.
  thread_ = std::thread([short_name = name.substr(0, 15), body = std::move(body)] {
    pthread_setname_np(pthread_self(), short_name.c_str());
    const SignalStack signal_stack;
    body();
  });
}

}  // namespace sippar::engine
