// The one commit log of a server, with group commit (paper section 6): the first waiting writer
// leads, everybody's records go out in one append and one sync. Order of each group (reliability.md
// 3.4, W1-W5): append, sync, check the fence, make visible (apply), answer.
// Thread safe. Lock order: row locks, then this. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/metrics.h"
#include "engine/base/thread.h"
#include "engine/fs/file_system.h"
#include "engine/log/log_segments.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {

struct CommitLogOptions {
  FileSystem* fs = nullptr;
  std::string directory;
  uint64_t epoch = 0;
  bool sync = true;  // false: durability "none", for loads that can be redone
  uint64_t segment_size = 64 << 20;
  Metrics* metrics = nullptr;
  Clock* clock = nullptr;
  // Asked after each sync, before anything becomes visible; an error ends the log for good.
  std::function<Status()> fence;
};

class CommitLog {
 public:
  // One row mutation. Numbers are given by the leader, in the order of the log, so that the numbers
  // of a tablet have no gaps: recovery takes a gap for lost data.
  struct Write {
    uint64_t tablet_id = 0;
    std::string body;  // 8 bytes for the sequence number, then AppendLogBody's bytes
    uint64_t entry_count = 0;
    uint64_t* next_sequence = nullptr;  // the tablet's counter; only the leader touches it
    std::function<void(uint64_t first_sequence)> apply;  // into the memtables; makes it visible
  };

  // `last` with its accepted length is the newest segment of earlier epochs ({0,0}: none).
  CommitLog(CommitLogOptions options, SegmentId last, uint64_t last_length, LogSegments segments);
  ~CommitLog();

  // Durable and visible when OK. On error none of `writes` is visible; whether they survive a crash
  // is unknown. All are in one group.
  [[nodiscard]] Status Append(std::span<Write* const> writes);

  // Removes segments that hold nothing behind the redo points (`redo_of` gives UINT64_MAX for
  // tablets that are gone). Tablets still needing the oldest segment are returned when more than
  // `segments_max` are kept, so that the caller flushes them.
  std::vector<uint64_t> RemoveObsolete(const std::function<uint64_t(uint64_t tablet_id)>& redo_of,
                                       size_t segments_max);
  [[nodiscard]] Status Close();
  // Bytes appended since the start.
  uint64_t bytes_written() const { return bytes_written_.load(std::memory_order_relaxed); }

 private:
  struct Request;

  void GatherGroup() REQUIRES(mutex_);
  void WaitForWriters() REQUIRES(mutex_);
  Status WriteGroup();
  Status EnsureSegment();
  Status AppendGroup();
  void AbandonSegment();

  CommitLogOptions options_;
  Mutex mutex_;
  std::deque<Request*> queue_ GUARDED_BY(mutex_);
  LogSegments segments_ GUARDED_BY(mutex_);  // closed ones
  CondVar gathered_;                         // the leader waits for writers to join it
  bool gathering_ GUARDED_BY(mutex_) = false;
  size_t expected_ GUARDED_BY(mutex_) = 1;  // writers that were there when the last group ended
  // The rest belongs to the leader.
  std::vector<Request*> group_;
  std::unique_ptr<LogWriter> writer_;
  std::map<uint64_t, uint64_t> writer_sequences_;  // tablet -> highest number in writer_
  SegmentId last_;
  uint64_t last_length_;
  uint64_t next_number_ = 1;
  Status fenced_;
  int64_t sync_time_us_ = 0;  // of the last group
  std::atomic<uint64_t> bytes_written_{0};
  Counter* groups_;
  Counter* records_;
};

}  // namespace sippar::engine
