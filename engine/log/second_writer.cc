// The part of CommitLog in which a second log writer takes over from a slow one (paper section 6).
//
// Why this loses no data: the slow segment counts up to its accepted length, and all of that was
// synced before this group. The new segment's header says so and is durable before any write of the
// group is acknowledged, and the group is acknowledged only from the new segment. So all bytes that
// the slow call still writes lie after the accepted length and are not read. If a crash comes
// before the group is in the new segment, the slow segment is the newest. Recovery then replays the
// whole records of the group, whose outcome was unknown to its writers.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/crash_point.h"
#include "engine/log/commit_log.h"

namespace sippar::engine {

Status CommitLog::WriteWatched(bool* taken_over) {
  LogWriter* writer = writer_.get();
  int64_t start_us = options_.clock->MonotonicNanos() / 1000;
  {
    MutexLock lock(&mutex_);
    syncing_since_us_ = start_us;
    group_began_us_ = start_us;
    ++syncs_;
    if (watch_idle_) watch_wake_.NotifyOne();
  }
  Status status = writer->Write(/*sync=*/true);
  std::unique_ptr<LogWriter> given_up;
  MutexLock lock(&mutex_);
  if (slow_writer_.get() == writer) {
    // The result of the slow Write no longer matters. Its writer is destroyed without an end mark,
    // after the lock is released, since closing the file may hang too.
    given_up = std::move(slow_writer_);
    *taken_over = true;
    return OkStatus();
  }
  syncing_since_us_ = 0;
  sync_time_us_ = options_.clock->MonotonicNanos() / 1000 - start_us;
  group_synced_us_ = sync_time_us_;
  sync_history_.Add(sync_time_us_);
  return status;
}

void CommitLog::WatchLoop() {
  while (WaitForSlowSync()) {
    AnswerGroup(SettleGroup(RewriteGroup()));
  }
}

// Waits for a slow sync and takes over its group; false when the log is closed. While writers are
// busy, it checks once per SyncHistory::SlowMicros, so that syncs need not notify it.
bool CommitLog::WaitForSlowSync() {
  MutexLock lock(&mutex_);
  uint64_t seen = 0;
  while (!closing_) {
    int64_t slow_us = sync_history_.SlowMicros();
    if (syncing_since_us_ != 0 && slow_writer_ == nullptr) {
      int64_t spent_us = options_.clock->MonotonicNanos() / 1000 - syncing_since_us_;
      if (spent_us >= slow_us) {
        syncing_since_us_ = 0;
        sync_history_.Add(spent_us);
        slow_writer_ = std::move(writer_);
        return true;
      }
      watch_wake_.WaitFor(&mutex_, slow_us - spent_us);
    } else if (seen != syncs_) {
      seen = syncs_;
      watch_wake_.WaitFor(&mutex_, slow_us);
    } else {
      watch_idle_ = true;
      watch_wake_.Wait(&mutex_);
      watch_idle_ = false;
    }
  }
  return false;
}

// Writes the group, with the sequence numbers that it has, to a new segment.
Status CommitLog::RewriteGroup() {
  options_.metrics->Get("log_switches")->Add();
  CloseBooks();
  CRASH_POINT("log.before_switch");
  RETURN_IF_ERROR(BeginSegment());
  AddGroupAgain();
  RETURN_IF_ERROR(writer_->Write(/*sync=*/true));
  group_synced_us_ = options_.clock->MonotonicNanos() / 1000 - group_began_us_;
  CRASH_POINT("log.after_switch");
  return OkStatus();
}

}  // namespace sippar::engine
