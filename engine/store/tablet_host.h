// The tablets that one server serves, and what they share: commit log, caches, row locks, memory
// budget and background work (paper sections 5.3 and 6). It knows tablets by id only. Its owner,
// the tablet server, knows which tablets exist, where their states are saved, and which tablet has
// a row. Thread safe; lock order in engine/README.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/cpu_time.h"
#include "engine/base/metrics.h"
#include "engine/base/thread.h"
#include "engine/compaction/rate_limiter.h"
#include "engine/log/commit_log.h"
#include "engine/log/log_replay.h"
#include "engine/store/hot_tablets.h"
#include "engine/store/store_options.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {

class TabletHost {
 public:
  struct Options {
    StoreOptions store;
    std::string sst_directory;
    uint64_t epoch = 0;  // the owner's epoch, which is never reused
    // Makes the epoch durable; called before the first file whose name contains the epoch. Empty:
    // the epoch is already durable.
    std::function<Status()> claim_epoch;
    TabletStateWriter* states = nullptr;  // outlives the host
    // The directory of the change archive; empty: no changes are kept.
    std::string change_directory;
    // Whether this host removes files that no state names any more. A tablet server sets false:
    // tablets on other servers may name them, and the cluster's sweep removes them.
    bool removes_files = true;
  };
  explicit TabletHost(Options options);
  ~TabletHost();

  // --- Starting, in this order: StartLog, StartBackground; tablets are added and removed later.
  // Tests of the engine alone begin with Open and Serve of the tablets to be replayed, and Replay,
  // and call SettleLog after StartLog if anything was replayed.
  std::shared_ptr<Tablet> Open(TabletState state, std::shared_ptr<const TableSchema> schema) {
    return Tablet::Open(&context_, std::move(state), std::move(schema));
  }
  void Serve(const std::shared_ptr<Tablet>& tablet);
  void Forget(uint64_t tablet_id);
  // Replays into the served tablets the records of the log in `directory` that are after their redo
  // points. A tablet server replays sealed logs instead, into each tablet that it opens
  // (SealedLog).
  [[nodiscard]] StatusOr<ReplayedLog> Replay(const std::string& directory);
  // Starts a log in `directory` that continues `old`. The log calls `fence` before each group of
  // writes becomes visible (CommitLogOptions::fence).
  void StartLog(const std::string& directory, ReplayedLog old, std::function<Status()> fence = {});
  // Makes the replayed writes durable against a power loss. They may be read only after that.
  [[nodiscard]] Status SettleLog() { return log_->Settle(); }
  // Starts the background threads, if StoreOptions::background. One of them regularly calls
  // `reshape`, which splits tablets that are too large and returns true if it split any.
  void StartBackground(const std::function<bool()>& reshape);
  // Ends background work, syncs and closes the log. No other call may be in progress.
  [[nodiscard]] Status Close();

  // --- Serving.
  // Called before a write of `rows` rows. Delays writers while flushes or compactions are behind
  // (write_delay.h), and stops them while memtables are at twice their budget. A stopped writer
  // gets the flush's error if flushing fails, and kResourceExhausted after 10 s without room.
  [[nodiscard]] Status Admit(size_t rows);
  std::shared_ptr<Tablet> Find(uint64_t tablet_id) const;  // null: not served
  std::vector<std::shared_ptr<Tablet>> All() const;

  // Runs the small compactions that are due. Processes too short-lived for background compactions
  // would otherwise leave many small runs.
  void CompactSmall();

  // Requests that the tablet is flushed soon, for example because it was replayed from many logs of
  // dead servers, which must be kept until the flush.
  void WantFlush(uint64_t tablet_id);

  // These two call the functions of CommitLog with the same names.
  [[nodiscard]] Status MakeDurable() { return log_->MakeDurable(); }
  [[nodiscard]] Status CutRefused() { return log_->CutRefused(); }
  // Removes the log segments that no served tablet needs. If too many remain, requests flushes of
  // the tablets that need the oldest.
  void RemoveObsoleteSegments();

  // Returns an id that is never reused, without a durable counter: epoch << 32 | counter, and
  // epochs are never reused.
  [[nodiscard]] StatusOr<uint64_t> NextId();
  // Every file of this epoch with a lower id is named in a saved state or will never be named in
  // one.
  uint64_t FirstUnpublishedFile() const { return unpublished_.First(); }
  TabletContext* context() { return &context_; }
  Metrics* metrics() { return &metrics_; }
  bool stopping() const { return stopping_; }
  uint64_t log_bytes() const { return log_->bytes_written(); }
  int64_t memtable_bytes() const { return memtable_bytes_.load(); }
  // The largest number of runs in any group; a read of the group merges all of them.
  uint64_t most_runs() const { return most_runs_.load(); }
  BlockCache::Stats cache_stats() const { return cache_.stats(); }
  // The running compactions and the last hundred that ended.
  std::vector<CompactionRecord> Compactions() const { return compactions_.List(); }
  std::shared_ptr<ReadTotals> ReadTotalsOf(uint64_t table_id);  // created if absent
  // Counters of all reads so far, by name of the served table.
  std::map<std::string, ReadCounters> TableReads();
  // Samples which tablets were busy since the last call; a background thread calls it every minute.
  void SampleWork();
  const HotTablets& hot_tablets() const { return hot_tablets_; }
  // CPU time that threads use for this host: those of flushes and compactions, and others during
  // their calls to its tablets, for which they open scopes (CpuScope).
  CpuCount* cpu() { return &cpu_; }

 private:
  void FlushLoop();
  // Requests a flush of all tablets if the log has not grown since the last call; *bytes_seen keeps
  // its length between calls. Without these flushes, the segments of a bulk load would stay on disk
  // after it, as large as the SSTables.
  void FlushIfLogRests(uint64_t* bytes_seen);
  std::shared_ptr<Tablet> PickFlush(int64_t* next_old_writes_nanos);
  void CompactLoop(const std::function<bool()>& reshape);
  bool CompactNext(uint64_t bytes_max);
  bool SettleFamilies();
  std::vector<CompactionCandidate> CompactionCandidates();
  void AfterCompaction(const CompactionCandidate& candidate, const Status& status);
  Status StopUntilFlushed(int64_t budget);
  void ShareMemory();

  const Options options_;
  FileSystem* const fs_;
  Clock* const clock_;
  Metrics metrics_;
  CompactionHistory compactions_;
  CpuCount cpu_;
  HotTablets hot_tablets_{HardwareThreads()};
  RateLimiter limiter_;
  BlockCache cache_;
  RowLocks row_locks_;
  std::atomic<uint64_t> next_number_{1};
  UnpublishedFiles unpublished_{[this] { return (options_.epoch << 32) | next_number_.load(); }};
  std::atomic<int64_t> memtable_bytes_{0};
  std::atomic<bool> stopping_{false};
  TabletContext context_;
  std::unique_ptr<CommitLog> log_;

  mutable Mutex served_mutex_;
  std::map<uint64_t, std::shared_ptr<Tablet>> served_ GUARDED_BY(served_mutex_);

  mutable Mutex totals_mutex_;
  std::map<uint64_t, std::shared_ptr<ReadTotals>> read_totals_ GUARDED_BY(totals_mutex_);

  Mutex background_mutex_;
  // Wakes the flush and compaction threads: a writer waits for room, a tablet wants a flush, a
  // flush or a compaction has ended, or the host stops.
  CondVar background_wake_;
  CondVar writers_wake_;  // wakes stopped writers after a flush or when the host stops
  Status flush_status_ GUARDED_BY(background_mutex_);
  // Tablets whose flush was requested, mostly because they hold back the log.
  std::vector<uint64_t> flush_wanted_ GUARDED_BY(background_mutex_);
  uint64_t runs_made_ GUARDED_BY(background_mutex_) = 0;
  // A group whose last compaction failed.
  struct Failure {
    uint64_t failures = 0;
    int64_t retry_at_us = 0;
  };
  // Held while a compaction is chosen. In the lock order, it comes before the tablets' locks.
  Mutex schedule_mutex_;
  std::map<std::pair<uint64_t, std::string>, Failure> failures_ GUARDED_BY(schedule_mutex_);
  bool large_running_ GUARDED_BY(schedule_mutex_) = false;
  std::atomic<uint64_t> most_runs_{0};  // most runs of a group, from CompactionCandidates
  Counter* const writer_delay_us_;
  Counter* const writer_stops_;
  Thread flush_thread_;
  std::vector<Thread> compact_threads_;
  bool closed_ = false;
};

}  // namespace sippar::engine
