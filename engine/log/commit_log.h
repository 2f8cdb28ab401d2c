// The commit log of a server, with group commit (paper sections 5.3 and 6): the first waiting
// writer leads and writes the records of all waiting writers with one append and one sync. Order of
// each group (PROTOCOL.md, W1-W5): append, sync, check the fence, make visible (apply), answer.
//
// Two writers (paper section 6): the leader syncs in its own thread, which costs nothing on a
// healthy disk (handing over to a log thread and back was measured at 4 to 27 us of a 100 us sync).
// A watching thread notices a sync that is slow compared with its history and takes the group over:
// it writes the records to a new segment, whose header says how much of the slow segment counts, so
// that bytes which still arrive there are never read. It answers every writer of the group, but the
// leader's own call cannot return before the slow sync does.
//
// Thread safe. Lock order: row locks are taken before the locks of this class.
// SPDX-License-Identifier: Apache-2.0
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
  std::function<Status()> before_segment;  // called before each new segment; an error prevents it
  // False: groups are not synced, unless a caller of Append asks for it; for bulk loads that can be
  // repeated.
  bool sync = true;
  // A thread watches for slow syncs and writes the group of a slow one again, to a new segment. Has
  // no effect without `sync`.
  bool two_writers = false;
  uint64_t segment_size = 64 << 20;
  Metrics* metrics = nullptr;
  Clock* clock = nullptr;
  // Called after each group is written and, in a log that syncs, synced, but before it becomes
  // visible. After an error the log accepts no more writes.
  std::function<Status()> fence;
  // A writer that has waited this long for its turn is refused: the disk hangs, and more waiting
  // writers would only use more memory.
  int64_t wait_us_max = 10'000'000;
};

class CommitLog {
 public:
  // One row mutation. The leader assigns sequence numbers in the order of the log, so that a
  // tablet's numbers have no gaps: recovery treats a gap as lost data.
  struct Write {
    uint64_t tablet_id = 0;
    std::string body;  // 8 bytes for the sequence number, then AppendLogBody's bytes
    uint64_t entry_count = 0;
    // The tablet's counter. Only the leader touches it, or the watching thread in its place.
    uint64_t* next_sequence = nullptr;
    // Inserts the mutation into the memtables, where readers see it.
    std::function<void(uint64_t first_sequence)> apply;
  };

  // `last` and `last_length`: the newest segment of earlier epochs and its accepted length ({0,0}:
  // none). `in_doubt`: see ReplayedLog.
  CommitLog(CommitLogOptions options, SegmentId last, uint64_t last_length, LogSegments segments,
            std::vector<std::string> in_doubt = {});
  ~CommitLog();

  // Makes durable the replayed records that may exist only in this machine's memory; call it before
  // the first Append. It copies these records to a new segment. On a full or read-only disk it
  // syncs their old file instead, which suffices unless an earlier sync of that file failed
  // (FileSystem::SyncFile); the first Append then copies the records. After any other error no
  // replayed record may be shown to a reader.
  [[nodiscard]] Status Settle();

  // Appends all of `writes` in one group. OK: they are visible, and durable if the log syncs.
  // Error: none is visible, and whether they survive a crash is unknown. When a sync never returns
  // and no watching thread takes its group over, the callers of the group wait; all others get
  // kUnavailable after wait_us_max. `has_place` (may be empty) is called as soon as all calls that
  // begin later are certain to follow these writes in the log. `durable`: the group is synced even
  // in a log that does not sync.
  [[nodiscard]] Status Append(std::span<Write* const> writes,
                              const std::function<void()>& has_place = {}, bool durable = false);
  // OK: everything appended before is durable, also in a log that does not sync.
  [[nodiscard]] Status MakeDurable();
  // Ensures that no recovery finds the last refused group, whose sequence numbers are used again:
  // begins a new segment, whose header says that its predecessor ends before that group. Call it
  // before a tablet moves to another server.
  [[nodiscard]] Status CutRefused();

  // Removes the closed segments, oldest first, up to the first that holds a record above a redo
  // point (`redo_of` returns UINT64_MAX for tablets that are gone). When more than `segments_max`
  // remain, returns the tablets that still need the oldest segment, so that the caller can flush
  // them.
  std::vector<uint64_t> RemoveObsolete(const std::function<uint64_t(uint64_t tablet_id)>& redo_of,
                                       size_t segments_max);
  // Number of closed segments, including those of earlier epochs.
  size_t closed_segments() const;
  // Ends the log with a clean end mark and adds its last segment to the closed ones.
  [[nodiscard]] Status Close();
  // Bytes appended since this log was opened.
  uint64_t bytes_written() const { return bytes_written_.load(std::memory_order_relaxed); }

 private:
  struct Request;

  // The steps of a group commit, in their order.
  Status AwaitTurn(Request* request);
  static Status Answered(const Request& request);
  void GatherGroup() REQUIRES(mutex_);
  Status WriteGroup(bool* taken_over);
  Status WriteWatched(bool* taken_over);
  Status SettleGroup(const Status& written);
  void RefuseGroup();
  void ApplyGroup();
  void AnswerGroup(const Status& status);

  Status BeginSegment();
  Status WriteInDoubtAgain();
  void AbandonSegment();
  void CloseBooks();
  Status CheckFence();
  Status LookForSegment();
  std::string PathOf(SegmentId id) const;

  StatusOr<LogReachFile*> OpenReach(SegmentId next);
  void TellReach(uint64_t durable_length);
  Status TrimReach(SegmentId newest);

  void WatchLoop();
  bool WaitForSlowSync();
  Status RewriteGroup();
  void AddGroupAgain();

  CommitLogOptions options_;
  Mutex open_reach_mutex_;  // acquired before mutex_
  mutable Mutex mutex_;
  std::deque<Request*> queue_ GUARDED_BY(mutex_);
  LogSegments segments_ GUARDED_BY(mutex_);  // closed segments
  CondVar gathered_;  // notified when enough writers have joined the leader's group
  bool gathering_ GUARDED_BY(mutex_) = false;
  size_t expected_ GUARDED_BY(mutex_) = 1;  // writers present when the last group ended
  CondVar watch_wake_;
  bool watch_idle_ GUARDED_BY(mutex_) = false;  // the watching thread sleeps until notified
  bool closing_ GUARDED_BY(mutex_) = false;
  // Start of the running sync, if the watching thread may take it over; else 0.
  int64_t syncing_since_us_ GUARDED_BY(mutex_) = 0;
  uint64_t syncs_ GUARDED_BY(mutex_) = 0;
  SyncHistory sync_history_ GUARDED_BY(mutex_);
  // The writer whose slow sync was taken over; the leader destroys it when that sync returns. Until
  // then the watching thread takes over no other sync.
  std::unique_ptr<LogWriter> slow_writer_ GUARDED_BY(mutex_);
  // Unless it is GUARDED_BY or atomic, a field below needs no lock: only the leader uses it (Settle
  // before the first call, Close after the last), except that the watching thread uses it from the
  // time when it takes a group over until it has answered the group.
  std::vector<Request*> group_;
  std::unique_ptr<LogWriter> writer_;
  // The highest sequence number of each tablet in writer_.
  std::map<uint64_t, uint64_t> writer_sequences_;
  SegmentId last_;
  // The accepted length of segment last_, which grows with each group written while last_ is open.
  // The next segment's header states it, so that recovery ignores later bytes of last_.
  uint64_t last_length_;
  std::vector<std::string> in_doubt_;
  std::atomic<bool> has_refused_{false};  // true: a group was refused since a segment last began
  // Opened before the first new segment or by RemoveObsolete, and then kept.
  std::unique_ptr<LogReachFile> reach_ GUARDED_BY(mutex_);
  uint64_t next_number_ = 1;
  Status fenced_;
  // Duration of the last sync whose group the watching thread did not take over.
  int64_t sync_time_us_ = 0;
  int64_t group_began_us_ = 0;  // start of this group's write and sync
  // Time from group_began_us_ until the group was synced, in a second segment if the watching
  // thread took the group over; 0: it was not synced.
  int64_t group_synced_us_ = 0;
  std::atomic<uint64_t> bytes_written_{0};
  Counter* groups_;
  Counter* records_;
  Thread watch_thread_;
};

}  // namespace sippar::engine
