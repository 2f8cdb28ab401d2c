// SPDX-License-Identifier: Apache-2.0
#include "engine/compaction/compaction_history.h"

namespace sippar::engine {

uint64_t CompactionHistory::Begin(CompactionRecord record) {
  record.started_us = clock_->NowMicros();
  MutexLock lock(&mutex_);
  running_[next_id_] = std::move(record);
  return next_id_++;
}

void CompactionHistory::End(uint64_t id, const Status& status, uint64_t bytes_out) {
  MutexLock lock(&mutex_);
  auto found = running_.find(id);
  if (found == running_.end()) return;
  CompactionRecord& record = ended_.emplace_back(std::move(found->second));
  running_.erase(found);
  record.duration_us = clock_->NowMicros() - record.started_us;
  record.bytes_out = bytes_out;
  record.status = status.ok() ? "done" : MessageOf(status);
  if (ended_.size() > kKept) ended_.pop_front();
}

std::vector<CompactionRecord> CompactionHistory::List() const {
  MutexLock lock(&mutex_);
  std::vector<CompactionRecord> all(ended_.begin(), ended_.end());
  for (const auto& [id, record] : running_) {
    all.push_back(record);
    all.back().duration_us = clock_->NowMicros() - record.started_us;
  }
  return all;
}

}  // namespace sippar::engine
