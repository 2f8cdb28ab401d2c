// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/reply_stream.h"

#include <utility>

#include "engine/base/clock.h"

namespace sippar::net {

StatusOr<std::optional<std::string>> ReplyStream::Next() {
  std::string part;
  uint64_t granted = 0;
  {
    engine::MutexLock lock(&mutex_);
    while (parts_.empty() && !end_.has_value()) changed_.Wait(&mutex_);
    if (parts_.empty()) {
      RETURN_IF_ERROR(end_->status());
      return std::optional<std::string>();
    }
    part = std::move(parts_.front());
    parts_.pop_front();
    granted = credit_.Taken(CostOf(part.size()));
    if (end_.has_value()) granted = 0;  // the stream has ended: the server sends no more
  }
  if (granted > 0) line_.grant(granted);
  return std::optional<std::string>(std::move(part));
}

bool ReplyStream::Await(int64_t wait_us) {
  engine::Clock* clock = engine::Clock::System();
  int64_t deadline = clock->MonotonicNanos() + wait_us * 1000;
  engine::MutexLock lock(&mutex_);
  while (parts_.empty() && !end_.has_value()) {
    int64_t left_us = (deadline - clock->MonotonicNanos()) / 1000;
    if (left_us <= 0) return false;
    changed_.WaitFor(&mutex_, left_us);
  }
  return true;
}

std::string ReplyStream::End() {
  engine::MutexLock lock(&mutex_);
  return end_.has_value() && end_->ok() ? **end_ : "";
}

void ReplyStream::Cancel() {
  OnEnd(Cancelled("stream: the caller cancelled it"));
  line_.cancel();
}

uint64_t ReplyStream::held_bytes() {
  engine::MutexLock lock(&mutex_);
  return credit_.held();
}

void ReplyStream::Begin(Line line) { line_ = std::move(line); }

bool ReplyStream::OnPart(std::string part) {
  engine::MutexLock lock(&mutex_);
  if (end_.has_value()) return true;
  if (!credit_.Arrived(CostOf(part.size()))) return false;
  parts_.push_back(std::move(part));
  changed_.NotifyAll();
  return true;
}

void ReplyStream::OnEnd(StatusOr<std::string> end) {
  engine::MutexLock lock(&mutex_);
  if (end_.has_value()) return;
  end_ = std::move(end);
  changed_.NotifyAll();
}

}  // namespace sippar::net
