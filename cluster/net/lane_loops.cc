// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/lane_loops.h"

#include <fmt/format.h>

#include "engine/base/wake_up.h"

namespace sippar::net {

StatusOr<std::shared_ptr<Loop>> LaneLoops::Of(Lane lane) {
  engine::MutexLock lock(&mutex_);
  std::shared_ptr<Loop>& loop = loops_[static_cast<size_t>(lane)];
  if (is_stopped_)
    return Unavailable(fmt::format("network threads {}: they have been stopped", name_));
  if (loop == nullptr) {
    ASSIGN_OR_RETURN(loop, Loop::Start(fmt::format("{}-{}", name_, NameOf(lane))));
  }
  return loop;
}

std::array<std::shared_ptr<Loop>, kLanes> LaneLoops::Running() {
  engine::MutexLock lock(&mutex_);
  return is_stopped_ ? std::array<std::shared_ptr<Loop>, kLanes>() : loops_;
}

void LaneLoops::Settle() {
  for (const auto& loop : Running()) {
    if (loop == nullptr) continue;
    engine::WakeUp settled;
    loop->Post([&settled] { settled.Notify(); });
    settled.Wait();
  }
}

void LaneLoops::Stop() {
  std::array<std::shared_ptr<Loop>, kLanes> loops;
  {
    engine::MutexLock lock(&mutex_);
    is_stopped_ = true;
    loops = loops_;
  }
  for (const auto& loop : loops) {
    if (loop != nullptr) loop->Stop();
  }
}

}  // namespace sippar::net
