// SPDX-License-Identifier: Apache-2.0
#include "engine/base/run_apart.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <system_error>
#include <utility>

#include "engine/base/signal_stack.h"
#include "engine/base/tablet_scope.h"
#include "engine/base/thread.h"

namespace sippar::engine {
namespace {

constexpr int64_t kLookEveryUs = 20'000;
constexpr int kLeftMax = 4;  // limit of abandoned threads, each of which uses a core until it ends
std::atomic<int> threads_left{0};

// Shared by the caller and the thread that runs `work`; the last of the two to end destroys it.
struct Shared {
  std::function<void(const StopSignal&)> work;
  const uint64_t tablet_id = TabletAtWork();  // on which the caller works
  std::atomic<bool> is_left{false};
  Mutex mutex;
  CondVar ended;
  bool has_ended GUARDED_BY(mutex) = false;
  bool is_counted GUARDED_BY(mutex) = false;  // true: threads_left counts this thread
};

void Work(Shared* shared) {
  const SignalStack signal_stack;
  const TabletScope scope(shared->tablet_id);
  StopSignal left;
  left.cancel = &shared->is_left;
  shared->work(left);
  MutexLock lock(&shared->mutex);
  shared->has_ended = true;
  if (shared->is_counted) threads_left.fetch_sub(1);
  shared->ended.NotifyAll();
}

}  // namespace

Status RunApart(std::function<void(const StopSignal& left)> work, const StopSignal& stop) {
  // A real thread would run outside the simulation's schedule and make it irreproducible.
  if (ThreadRuntime::Current() != nullptr) {
    work(stop);
    return OkStatus();
  }
  if (threads_left.load() >= kLeftMax) {
    return ResourceExhausted(
        fmt::format("search in a large value: {} cancelled searches are still running (the limit); "
                    "try again when one of them has ended",
                    kLeftMax));
  }
  auto shared = std::make_shared<Shared>();
  shared->work = std::move(work);
  try {
    std::thread([shared] { Work(shared.get()); }).detach();
  } catch (const std::system_error&) {
    return ResourceExhausted(
        "search in a large value: the operating system gives this process no more threads; try "
        "again "
        "later");
  }
  MutexLock lock(&shared->mutex);
  // The caller polls `stop`, since neither a cancellation nor a deadline notifies a condition
  // variable.
  while (!shared->has_ended) {
    shared->ended.WaitFor(&shared->mutex, kLookEveryUs);
    if (shared->has_ended) break;
    Status status = stop.Check();
    if (status.ok()) continue;
    shared->is_left.store(true);
    shared->is_counted = true;
    threads_left.fetch_add(1);
    return status;
  }
  return OkStatus();
}

}  // namespace sippar::engine
