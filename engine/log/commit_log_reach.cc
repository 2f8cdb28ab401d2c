// The part of CommitLog that keeps REACH up to date: how far the log is durable and which segments
// may be gone. Recovery compares the segments that it finds with REACH.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/crash_point.h"
#include "engine/log/commit_log.h"

namespace sippar::engine {

// Opens REACH. Called at the latest before this process creates its first segment: the directory
// sync for that segment then makes the names of REACH and of the segment durable. After an error
// the next call tries again.
StatusOr<LogReachFile*> CommitLog::OpenReach(SegmentId next) {
  // Does not hold mutex_ while it opens: if the disk hangs, waiting writers must still be refused
  // in time.
  MutexLock one(&open_reach_mutex_);
  SegmentId oldest;
  {
    MutexLock lock(&mutex_);
    if (reach_ != nullptr) return reach_.get();
    oldest = segments_.Oldest(next);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<LogReachFile> opened,
                   LogReachFile::Open(options_.fs, options_.directory, oldest));
  MutexLock lock(&mutex_);
  reach_ = std::move(opened);
  return reach_.get();
}

// Records durably that the segments up to `newest` may be gone, including those of earlier
// processes.
Status CommitLog::TrimReach(SegmentId newest) {
  ASSIGN_OR_RETURN(LogReachFile * reach, OpenReach(newest));
  if (reach == nullptr) return OkStatus();
  RETURN_IF_ERROR(reach->Trim({newest.epoch, newest.number + 1}));
  CRASH_POINT("log.after_trim");
  return OkStatus();
}

// Records in REACH how much of the segment `last_` is durable.
void CommitLog::TellReach(uint64_t durable_length) {
  LogReachFile* reach = nullptr;
  {
    MutexLock lock(&mutex_);
    reach = reach_.get();
  }
  if (reach != nullptr) reach->Reached(last_, durable_length);
}

}  // namespace sippar::engine
