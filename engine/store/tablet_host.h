// The tablets that one server serves, and what they share: commit log, caches, row locks, memory
// budget, background work (paper sections 5.3 and 6). It knows them by id; which tablets there are,
// where their states are kept and who finds one by row is its owner's: METADATA, or the catalog
// of a store of format 1. Thread safe; lock order as engine/README.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

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
    uint64_t epoch = 0;  // of the owner: never repeats
    // Makes it durable, before the first file with it in its name. Empty: it is.
    std::function<Status()> claim_epoch;
    TabletStateWriter* states = nullptr;  // outlives the host
    std::string change_directory;         // as TabletContext's
    // Files that no state names any more go at once; false: others may name them, somebody else
    // sweeps.
    bool removes_files = true;
  };
  explicit TabletHost(Options options);
  ~TabletHost();

  // --- Starting, in this order: Open and Serve what is to be replayed, Replay, StartLog, SettleLog
  // if anything was replayed, StartBackground. Tablets may come and go later, too.
  std::shared_ptr<Tablet> Open(TabletState state, std::shared_ptr<const TableSchema> schema) {
    return Tablet::Open(&context_, std::move(state), std::move(schema));
  }
  void Serve(const std::shared_ptr<Tablet>& tablet);
  void Forget(uint64_t tablet_id);
  // What served tablets have in the log of `directory` behind their redo points.
  [[nodiscard]] StatusOr<ReplayedLog> Replay(const std::string& directory);
  // Goes on behind `old`, in `directory`. `fence` as CommitLogOptions.
  void StartLog(const std::string& directory, ReplayedLog old, std::function<Status()> fence = {});
  // What was replayed outlives a power loss from now on, and may be read.
  [[nodiscard]] Status SettleLog() { return log_->Settle(); }
  // `reshape` splits or merges tablets, where sizes ask for it: true if it did; one thread calls
  // it now and then.
  void StartBackground(const std::function<bool()>& reshape);
  // Ends background work, syncs and closes the log. No call may be running.
  [[nodiscard]] Status Close();

  // --- Serving.
  // Called before a write of so many rows. Slows writers down while flushes or compactions are
  // behind (write_delay.h), and stops them while memtables are at twice their budget. The flush's
  // error when flushing fails then.
  [[nodiscard]] Status Admit(size_t rows);
  std::shared_ptr<Tablet> Find(uint64_t tablet_id) const;  // null: not served
  std::vector<std::shared_ptr<Tablet>> All() const;

  // What is due and takes next to no time: lives too short for the background leave small runs.
  void CompactSmall();

  // Soon, as for one that holds back the log: it was replayed from many.
  void WantFlush(uint64_t tablet_id);

  // As CommitLog's.
  [[nodiscard]] Status MakeDurable() { return log_->MakeDurable(); }
  [[nodiscard]] Status CutRefused() { return log_->CutRefused(); }
  // Segments go that no served tablet needs.
  void RemoveObsoleteSegments();

  // Unique for ever without a durable counter: the epoch is never repeated.
  [[nodiscard]] StatusOr<uint64_t> NextId();
  // Every file of this epoch below is named in a saved state, or never will be.
  uint64_t FirstUnpublishedFile() const { return unpublished_.First(); }
  TabletContext* context() { return &context_; }
  Metrics* metrics() { return &metrics_; }
  bool stopping() const { return stopping_; }
  uint64_t log_bytes() const { return log_->bytes_written(); }
  int64_t memtable_bytes() const { return memtable_bytes_.load(); }
  uint64_t most_runs() const { return most_runs_.load(); }  // of a group: what a read merges
  BlockCache::Stats cache_stats() const { return cache_.stats(); }
  // What runs, and about the last hundred that ended.
  std::vector<CompactionRecord> Compactions() const { return compactions_.List(); }
  std::shared_ptr<ReadTotals> ReadTotalsOf(uint64_t table_id);  // made when there is none
  void ForgetTotals(uint64_t table_id);
  // What all reads of each served table did so far, by name.
  std::map<std::string, ReadCounters> TableReads();
  // Notes which tablets were busy since the last time; a background thread does it each minute.
  void SampleWork();
  const HotTablets& hot_tablets() const { return hot_tablets_; }

 private:
  void FlushLoop();
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
  CondVar background_wake_;  // memtables grew, a flush made a run, or stopping
  CondVar writers_wake_;     // a flush ended
  Status flush_status_ GUARDED_BY(background_mutex_);
  std::vector<uint64_t> flush_wanted_
      GUARDED_BY(background_mutex_);  // tablets holding back the log
  uint64_t runs_made_ GUARDED_BY(background_mutex_) = 0;
  // Of groups whose last compaction failed.
  struct Failure {
    uint64_t failures = 0;
    int64_t retry_at_us = 0;
  };
  Mutex schedule_mutex_;  // one choice at a time; before the tablets' locks
  std::map<std::pair<uint64_t, std::string>, Failure> failures_ GUARDED_BY(schedule_mutex_);
  bool large_running_ GUARDED_BY(schedule_mutex_) = false;
  std::atomic<uint64_t> most_runs_{0};  // of a group, when last looked at
  Counter* const writer_delay_us_;
  Counter* const writer_stops_;
  Thread flush_thread_;
  std::vector<Thread> compact_threads_;
  bool closed_ = false;
};

}  // namespace sippar::engine
