// The loops of a process: one for each lane, each started when it is first asked for. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>

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

  // kUnavailable: it did not start, or all have been stopped.
  StatusOr<std::shared_ptr<Loop>> Of(Lane lane);
  // Returns when what the loops are doing now is done. Not on a loop's thread, and not beside Stop.
  void Settle();
  // After the channels and servers that use them. Not on a loop's thread.
  void Stop();

 private:
  std::array<std::shared_ptr<Loop>, kLanes> Running();

  const std::string name_;
  engine::Mutex mutex_;
  std::array<std::shared_ptr<Loop>, kLanes> loops_ GUARDED_BY(mutex_);
  bool is_stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace sippar::net
