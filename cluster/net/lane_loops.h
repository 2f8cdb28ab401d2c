// The loops of a process, each started when it is first needed. Each lane has its own loop, so that
// the calls of a lane do not wait for those of other lanes. The users' lane has one loop for every
// four cores, at most 16, because loops also answer short reads. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cluster/net/lane.h"
#include "cluster/net/loop.h"
#include "engine/base/thread.h"

namespace sippar::net {

class LaneLoops {
 public:
  explicit LaneLoops(std::string name) : name_(std::move(name)) {}
  ~LaneLoops() { Stop(); }
  LaneLoops(const LaneLoops&) = delete;
  LaneLoops& operator=(const LaneLoops&) = delete;

  // Returns the loop for one more channel or connection of the lane. kUnavailable: the loop did not
  // start, or all loops have been stopped.
  StatusOr<std::shared_ptr<Loop>> Of(Lane lane);
  // Returns when the loops have finished what they are doing now. Must not be called on a loop's
  // thread, or concurrently with Stop.
  void Settle();
  // To be called after the channels and servers that use the loops were stopped; not on a loop's
  // thread.
  void Stop();

 private:
  using Loops = std::vector<std::shared_ptr<Loop>>;
  Loops Running() REQUIRES(mutex_);

  const std::string name_;
  engine::Mutex mutex_;
  std::array<Loops, kLanes> loops_ GUARDED_BY(mutex_);
  size_t given_ GUARDED_BY(mutex_) = 0;  // number of users' channels and connections so far
  bool is_stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace sippar::net
