// The one commit log of a server, with group commit (paper section 6): the first waiting writer
// leads, everybody's records go out in one append and one sync. Order of each group (PROTOCOL.md,
// W1-W5): append, sync, check the fence, make visible (apply), answer.
//
// Two writers (paper section 6): the leader syncs in its own thread, which costs nothing while all
// is well (a hop to a log thread and back was measured at 4 to 27 us of a 100 us sync). A watching
// thread sees a sync that is slow against its history and takes the group over: the records go into
// a new segment, whose header says how much of the slow one counts, so whatever still arrives there
// is never read. Everybody in the group is answered by the second writer; only the leader's own
// thread comes back no sooner than the slow call.
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
#include "engine/log/log_reach.h"
#include "engine/log/log_segments.h"
#include "engine/log/log_writer.h"
#include "engine/log/sync_history.h"

namespace sippar::engine {

struct CommitLogOptions {
  FileSystem* fs = nullptr;
  std::string directory;
  uint64_t epoch = 0;
  std::function<Status()> before_segment;  // an error fails the group that needs a new one
  bool sync = true;                        // false: durability "none", for loads that can be redone
  bool two_writers = false;                // needs sync, and a thread
  uint64_t segment_size = 64 << 20;
  Metrics* metrics = nullptr;
  Clock* clock = nullptr;
  // Asked after each sync, before anything becomes visible; an error ends the log for good.
  std::function<Status()> fence;
  // Writers that have waited so long for their turn are refused: the disks hang, and more of them
  // would only be more memory.
  int64_t wait_us_max = 10'000'000;
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
  // `in_doubt` as ReplayedLog's.
  CommitLog(CommitLogOptions options, SegmentId last, uint64_t last_length, LogSegments segments,
            std::vector<std::string> in_doubt = {});
  ~CommitLog();

  // Makes durable what was replayed and only this machine's memory may have, before the first
  // Append: the records in doubt are written again, as the first segment of this life. A disk that
  // is full or read-only can still be read: there the old file is synced, which is as good unless
  // an earlier sync of it had failed (FileSystem::SyncFile); the first Append writes them again.
  // After any other error nothing that was replayed may be shown.
  [[nodiscard]] Status Settle();

  // Durable and visible when OK. On error none of `writes` is visible; whether they survive a crash
  // is unknown. All are in one group. A sync that never returns keeps the callers of its group; all
  // others get kUnavailable after wait_us_max.
  [[nodiscard]] Status Append(std::span<Write* const> writes);
  // What was appended before is durable when OK, also in a log that syncs no group.
  [[nodiscard]] Status MakeDurable();
  // Afterwards no recovery finds the group that was refused last, whose numbers were given out
  // again: the next segment says where its own ends. For who gives a tablet to another server.
  [[nodiscard]] Status CutRefused();

  // Removes segments that hold nothing behind the redo points (`redo_of` gives UINT64_MAX for
  // tablets that are gone). Tablets still needing the oldest segment are returned when more than
  // `segments_max` are kept, so that the caller flushes them.
  std::vector<uint64_t> RemoveObsolete(const std::function<uint64_t(uint64_t tablet_id)>& redo_of,
                                       size_t segments_max);
  // Closed segments, those of earlier epochs included.
  size_t closed_segments() const;
  // Afterwards the last segment is a closed one, too.
  [[nodiscard]] Status Close();
  // Bytes appended since the start.
  uint64_t bytes_written() const { return bytes_written_.load(std::memory_order_relaxed); }

 private:
  struct Request;

  Status AppendGroup(Request* request);
  Status AwaitTurn(Request* request);
  void GatherGroup() REQUIRES(mutex_);
  void WaitForWriters() REQUIRES(mutex_);
  void AnswerGroup(const Status& status);
  Status WriteGroup(bool* taken_over);
  Status EnsureSegment();
  Status WriteInDoubtAgain();
  StatusOr<LogReachFile*> OpenReach(SegmentId next);
  void TellReach(uint64_t durable_length);
  Status TrimReach(SegmentId newest);
  void NumberGroup();
  void BookGroup();
  void FrameGroup();
  Status WriteFramed(bool* taken_over);
  Status WriteWatched(bool* taken_over);
  Status SettleGroup(const Status& written);
  Status Publish();
  Status CheckFence();
  Status LookForSegment();
  std::string PathOf(SegmentId id) const;
  void ApplyGroup();
  void AbandonSegment();
  void CloseBooks();
  void WatchLoop();
  bool WaitForSlowSync();
  Status RewriteGroup();

  CommitLogOptions options_;
  mutable Mutex mutex_;
  std::deque<Request*> queue_ GUARDED_BY(mutex_);
  LogSegments segments_ GUARDED_BY(mutex_);  // closed ones
  CondVar gathered_;                         // the leader waits for writers to join it
  bool gathering_ GUARDED_BY(mutex_) = false;
  size_t expected_ GUARDED_BY(mutex_) = 1;  // writers that were there when the last group ended
  CondVar watch_wake_;
  bool watch_idle_ GUARDED_BY(mutex_) = false;  // only a wake-up ends the watching thread's sleep
  bool closing_ GUARDED_BY(mutex_) = false;
  int64_t syncing_since_us_ GUARDED_BY(mutex_) = 0;  // 0: no sync that can be taken over
  uint64_t syncs_ GUARDED_BY(mutex_) = 0;
  SyncHistory sync_history_ GUARDED_BY(mutex_);
  // In a call that was given up; its leader lets it go when the call comes back. While there is one
  // the next slow sync is waited for.
  std::unique_ptr<LogWriter> slow_writer_ GUARDED_BY(mutex_);
  // The rest belongs to the leader, or to the watching thread between a take-over and its answers.
  std::vector<Request*> group_;
  std::unique_ptr<LogWriter> writer_;
  std::map<uint64_t, uint64_t> writer_sequences_;  // tablet -> highest number in writer_
  SegmentId last_;
  uint64_t last_length_;  // accepted, of last_; kept up while last_ is open
  std::vector<std::string> in_doubt_;
  std::atomic<bool> has_refused_{false};  // and no segment since
  // Made before the first segment and kept; by the leader or RemoveObsolete.
  std::unique_ptr<LogReachFile> reach_ GUARDED_BY(mutex_);
  uint64_t next_number_ = 1;
  Status fenced_;
  int64_t sync_time_us_ = 0;  // of the last group
  std::atomic<uint64_t> bytes_written_{0};
  Counter* groups_;
  Counter* records_;
  Thread watch_thread_;
};

}  // namespace sippar::engine
