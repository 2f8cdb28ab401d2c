// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/lane_loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/wake_up.h"

namespace sippar::net {
namespace {

constexpr size_t kCoresOfALoop = 4;
constexpr size_t kUsersLoopsMax = 16;

size_t LoopsOfUsers() {
  return std::clamp<size_t>(engine::HardwareThreads() / kCoresOfALoop, 1, kUsersLoopsMax);
}

}  // namespace

StatusOr<std::shared_ptr<Loop>> LaneLoops::Of(Lane lane) {
  engine::MutexLock lock(&mutex_);
  if (is_stopped_)
    return Unavailable(fmt::format("network threads {}: they have been stopped", name_));
  Loops& loops = loops_[static_cast<size_t>(lane)];
  const size_t loops_max = lane == Lane::kUsers ? LoopsOfUsers() : 1;
  const size_t turn = lane == Lane::kUsers ? given_++ % loops_max : 0;
  if (turn < loops.size()) return loops[turn];
  ASSIGN_OR_RETURN(std::shared_ptr<Loop> started,
                   Loop::Start(fmt::format("{}-{}", name_, NameOf(lane))));
  loops.push_back(started);
  return started;
}

LaneLoops::Loops LaneLoops::Running() {
  Loops running;
  for (const Loops& loops : loops_) running.insert(running.end(), loops.begin(), loops.end());
  return running;
}

void LaneLoops::Settle() {
  Loops running;
  {
    engine::MutexLock lock(&mutex_);
    if (is_stopped_) return;  // a stopped loop drops what is posted to it
    running = Running();
  }
  for (const auto& loop : running) {
    engine::WakeUp settled;
    loop->Post([&settled] { settled.Notify(); });
    settled.Wait();
  }
}

void LaneLoops::Stop() {
  Loops running;
  {
    engine::MutexLock lock(&mutex_);
    is_stopped_ = true;
    running = Running();
  }
  for (const auto& loop : running) loop->Stop();
}

}  // namespace sippar::net
