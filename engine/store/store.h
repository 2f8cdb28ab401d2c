// One server's storage: several tables, one commit log, shared caches, background flushes and
// compactions (paper sections 5.3, 5.4, 6). Thread safe. Lock order: admin_mutex_, schedule_mutex_
// < tables_mutex_ < the tablets' locks. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/metrics.h"
#include "engine/base/thread.h"
#include "engine/log/commit_log.h"
#include "engine/store/catalog.h"
#include "engine/store/store_files.h"
#include "engine/store/store_options.h"
#include "engine/tablet/reshape.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {

class Store {
 public:
  // Opens every tablet and replays the log. Errors as OpenStoreFiles; kDataLoss names the file.
  [[nodiscard]] static StatusOr<std::unique_ptr<Store>> Open(const std::string& directory,
                                                             const StoreOptions& options);
  ~Store();
  // Ends background work, syncs and closes the log. No call may be running.
  [[nodiscard]] Status Close();

  [[nodiscard]] Status CreateTable(const TableSchema& schema,
                                   const std::vector<std::string>& split_keys);
  [[nodiscard]] Status AlterTable(const TableSchema& schema, uint64_t expected_version);
  [[nodiscard]] Status DropTable(const std::string& name);
  [[nodiscard]] StatusOr<CatalogTable> GetTable(const std::string& name) const;
  [[nodiscard]] std::vector<CatalogTable> ListTables() const;

  // kNotFound: no such table.
  [[nodiscard]] StatusOr<std::shared_ptr<Tablet>> FindTablet(const std::string& table,
                                                             std::string_view row) const;
  [[nodiscard]] StatusOr<std::vector<std::shared_ptr<Tablet>>> Tablets(
      const std::string& table) const;

  // Called before a write of so many rows. Slows writers down while flushes or compactions are
  // behind (write_delay.h), and stops them while memtables are at twice their budget. The flush's
  // error when flushing fails then.
  [[nodiscard]] Status Admit(size_t rows);
  // Group commit over several tablets is the log's; this applies one batch of one table.
  [[nodiscard]] std::vector<Status> Apply(const std::string& table,
                                          const std::vector<const RowMutation*>& batch);

  // As Tablet's, on the tablet that has the row.
  [[nodiscard]] StatusOr<RowUpdateResult> Update(const std::string& table, const RowUpdate& update);
  [[nodiscard]] Status CommitRow(const std::string& table, const RowMutation& mutation,
                                 std::span<const RowCheck> checks);

  // `row` becomes the first of a tablet. OK when it is already.
  [[nodiscard]] Status Split(const std::string& table, const std::string& row);
  // All tablets with some of `rows` become one.
  [[nodiscard]] Status Merge(const std::string& table, const RowRange& rows);
  // One split or merge that sizes ask for (reshape.h); false when none does. Background work.
  bool ReshapeOnce();

  [[nodiscard]] Status Flush(const std::string& table);
  [[nodiscard]] Status CompactMajor(const std::string& table, const std::string& group);
  // What runs, and about the last hundred that ended.
  std::vector<CompactionRecord> Compactions() const { return compactions_.List(); }
  Metrics* metrics() { return &metrics_; }
  BlockCache::Stats cache_stats() const { return cache_.stats(); }
  // What all reads of each table did so far, by name.
  std::map<std::string, ReadCounters> TableReads() const;
  uint64_t log_bytes() const { return log_->bytes_written(); }
  int64_t memtable_bytes() const { return memtable_bytes_.load(); }
  uint64_t most_runs() const { return most_runs_.load(); }  // of a group: what a read merges

 private:
  struct OpenTable {
    CatalogTable entry;
    std::vector<std::shared_ptr<Tablet>> tablets;  // in key order
    const std::shared_ptr<Tablet>& TabletOf(std::string_view row) const;
  };

  // Crash points of a split or merge, in order.
  struct ReshapePoints {
    const char* after_flush;
    const char* after_states;
    const char* after_catalog;
    const char* after_removal;
  };
  using ChildStates = std::function<StatusOr<std::vector<TabletState>>(
      const std::vector<TabletState>& parents, uint64_t* next_tablet_id)>;

  Store(StoreOptions options, StoreFiles files);
  StatusOr<std::shared_ptr<const OpenTable>> FindTable(const std::string& name) const;
  Status OnTablet(const std::string& name, std::string_view row,
                  const std::function<Status(Tablet*)>& action);
  Status OnTablets(const std::string& name, const std::function<Status(Tablet*)>& action);
  void WaitForRouting(const std::string& name, const std::shared_ptr<const OpenTable>& table);
  std::vector<Status> ApplyRouted(const OpenTable& table,
                                  const std::vector<const RowMutation*>& batch);
  Status Replace(const std::string& name, const std::vector<std::shared_ptr<Tablet>>& parents,
                 const ChildStates& children_of, const ReshapePoints& points);
  Status CommitReplacement(const OpenTable& table, size_t first,
                           const std::vector<std::shared_ptr<Tablet>>& parents,
                           const ChildStates& children_of, const ReshapePoints& points)
      REQUIRES(admin_mutex_);
  void Install(const OpenTable& table, size_t first,
               const std::vector<std::shared_ptr<Tablet>>& parents,
               std::vector<TabletState> children, Catalog changed) REQUIRES(admin_mutex_);
  Status MergePair(const std::string& name, const std::vector<std::shared_ptr<Tablet>>& tablets);
  uint64_t SplitSizeOf(const TableSchema& schema) const;
  TabletSize SizeOf(const Tablet& tablet) const;
  bool SplitIfLarge(const std::string& name, const std::shared_ptr<Tablet>& tablet,
                    uint64_t split_size);
  bool MergeIfSmall(const std::string& name, const std::shared_ptr<Tablet>& left,
                    const std::shared_ptr<Tablet>& right, uint64_t split_size);
  Status OpenTablets(const std::string& catalog_body);
  Status Recover();
  Status SweepOrphans();
  void RemoveOrphan(const std::string& path);
  void CountOrphan(const Status& removed);
  Status SaveCatalog(const Catalog& catalog) REQUIRES(admin_mutex_);
  // After a failed save the disk may hold either catalog: writes wait until it is ours again.
  Status SettleCatalog() REQUIRES(admin_mutex_);
  Status CheckAlter(const TableSchema& old_schema, const TableSchema& new_schema) const;
  void StartBackground();
  void FlushLoop();
  void CompactLoop(bool reshapes);  // one of the threads splits and merges tablets, too
  bool CompactNext();
  bool SettleFamilies();
  std::vector<CompactionCandidate> CompactionCandidates();
  void AfterCompaction(const CompactionCandidate& candidate, const Status& status);
  Status StopUntilFlushed(int64_t budget);
  std::shared_ptr<Tablet> PickFlush();
  void RemoveObsoleteSegments();
  std::vector<std::shared_ptr<Tablet>> AllTablets() const;

  std::shared_ptr<ReadTotals> ReadTotalsOf(uint64_t table_id);

  const StoreOptions options_;
  StoreFiles files_;
  Metrics metrics_;
  CompactionHistory compactions_;
  RateLimiter limiter_;
  BlockCache cache_;
  RowLocks row_locks_;
  std::unique_ptr<TabletStateStore> states_;
  std::atomic<uint64_t> next_file_number_{1};
  std::atomic<int64_t> memtable_bytes_{0};
  std::atomic<bool> stopping_{false};
  TabletContext context_;
  std::unique_ptr<CommitLog> log_;

  Mutex admin_mutex_;  // one schema change at a time
  Catalog catalog_ GUARDED_BY(admin_mutex_);
  std::atomic<bool> catalog_in_doubt_{false};
  mutable Mutex tables_mutex_;
  CondVar routing_changed_;  // a split or merge has ended
  std::map<std::string, std::shared_ptr<const OpenTable>> tables_ GUARDED_BY(tables_mutex_);

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
