// SPDX-License-Identifier: Apache-2.0
#include "engine/changes/change_tail.h"

#include <algorithm>

namespace sippar::engine {
namespace {

bool Ends(const TailRecord& record, uint64_t sequence) {
  return record.head.last_sequence() <= sequence;
}

}  // namespace

int64_t TailBytes(size_t body_size) { return static_cast<int64_t>(body_size) + 128; }

void ChangeTail::Keep(uint64_t next_sequence) {
  MutexLock lock(&mutex_);
  if (kept_) return;
  begin_ = end_ = next_sequence;
  kept_ = true;
}

int64_t ChangeTail::Stop() {
  if (!kept_) return 0;
  int64_t freed = Drop(UINT64_MAX);
  kept_ = false;
  return freed;
}

int64_t ChangeTail::Flight::TakeOff(ChangeTail* tail, Clock* clock, int64_t least_us) {
  Land();
  MutexLock lock(&tail->mutex_);
  // Reads the clock under the lock, as After does. So After computes a watermark either before this
  // flight takes its time, or from a set of flights that includes this one.
  int64_t time_us = std::max(clock->NowMicros(), least_us);
  at_ = tail->flights_.insert(time_us);
  tail_ = tail;
  return time_us;
}

void ChangeTail::Flight::Land() {
  if (tail_ == nullptr) return;
  MutexLock lock(&tail_->mutex_);
  tail_->flights_.erase(at_);
  tail_ = nullptr;
}

void ChangeTail::Add(std::string body) {
  auto shared = std::make_shared<const std::string>(std::move(body));
  auto head = DecodeLogHead(*shared);
  if (!head.ok()) return;  // cannot happen: this program encoded the body
  MutexLock lock(&mutex_);
  end_ = head->last_sequence() + 1;
  records_.push_back({*head, std::move(shared)});
  // Most writes have no waiting reader and should not pay for a wake-up.
  if (waiting_ > 0) added_.NotifyAll();
}

ChangeTail::View ChangeTail::After(uint64_t sequence, size_t bytes_max, Clock* clock) const {
  View view;
  MutexLock lock(&mutex_);
  auto record = std::partition_point(records_.begin(), records_.end(),
                                     [&](const auto& r) { return Ends(r, sequence); });
  size_t bytes = 0;
  for (; record != records_.end() && bytes < bytes_max; ++record) {
    bytes += record->body->size();
    // Copies a pointer to the body, so the lock is held briefly even for large changes.
    view.records.push_back(*record);
  }
  view.begin = begin_;
  view.is_whole = record == records_.end();
  view.end = view.is_whole ? end_ : record->head.first_sequence;
  int64_t now_us = clock->NowMicros();
  view.low_watermark_us = flights_.empty() ? now_us : std::min(now_us, *flights_.begin());
  return view;
}

void ChangeTail::WaitBeyond(uint64_t sequence, int64_t wait_us) const {
  MutexLock lock(&mutex_);
  if (end_ > sequence + 1) return;
  ++waiting_;
  // Waits only once: the wait may end early, and the caller checks again in any case.
  added_.WaitFor(&mutex_, wait_us);
  --waiting_;
}

std::vector<TailRecord> ChangeTail::Through(uint64_t sequence) const {
  MutexLock lock(&mutex_);
  auto limit = std::partition_point(records_.begin(), records_.end(),
                                    [&](const auto& record) { return Ends(record, sequence); });
  return {records_.begin(), limit};
}

int64_t ChangeTail::Drop(uint64_t sequence) {
  int64_t freed = 0;
  MutexLock lock(&mutex_);
  while (!records_.empty() && Ends(records_.front(), sequence)) {
    freed += TailBytes(records_.front().body->size());
    begin_ = records_.front().head.last_sequence() + 1;
    records_.pop_front();
  }
  return freed;
}

}  // namespace sippar::engine
