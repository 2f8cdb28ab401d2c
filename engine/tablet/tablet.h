// One tablet: a row range of a table, with its memtables, SSTables and redo point (paper section
// 5). One verb per file: tablet_open, tablet_schema, tablet_read, tablet_write, row_transaction,
// tablet_flush, tablet_changes, tablet_compact, tablet_stats, tablet_dump, tablet_reshape.
//
// Thread safe. Lock order: flush_mutex_ < state_mutex_ < row locks < commit log (where METADATA is
// saved to, too) < apply_mutex_ < mutex_.
//   apply_mutex_  memtables change their role (freeze) only when no write is being applied
//   state_mutex_  one change of the durable state at a time; held while it is saved
//   mutex_        short: version_, visible_sequence_, schema_, rules_
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/metrics.h"
#include "engine/base/stop_signal.h"
#include "engine/base/thread.h"
#include "engine/changes/change_reader.h"
#include "engine/compaction/compaction_history.h"
#include "engine/compaction/compaction_schedule.h"
#include "engine/compaction/rate_limiter.h"
#include "engine/log/commit_log.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"
#include "engine/program/row_update.h"
#include "engine/read/read_totals.h"
#include "engine/read/tablet_work.h"
#include "engine/read/visibility_iterator.h"
#include "engine/tablet/group_stats.h"
#include "engine/tablet/request_memory.h"
#include "engine/tablet/row_lock.h"
#include "engine/tablet/tablet_state.h"
#include "engine/tablet/tablet_version.h"
#include "engine/tablet/unpublished_files.h"

namespace sippar::engine {

class AddedCells;
struct CompactionInputs;
struct CompactionRequest;

// What tablets of one store share. Everything outlives the tablets.
struct TabletContext {
  FileSystem* fs = nullptr;
  Clock* clock = nullptr;
  CommitLog* log = nullptr;  // set after recovery
  TabletStateWriter* states = nullptr;
  BlockCache* cache = nullptr;
  RowLocks* row_locks = nullptr;
  Metrics* metrics = nullptr;
  std::shared_ptr<FileRegistry> files;
  std::function<std::shared_ptr<ReadTotals>(uint64_t table_id)> read_totals;
  CompactionHistory* compactions = nullptr;
  std::function<StatusOr<uint64_t>()> next_file_id;
  UnpublishedFiles* unpublished = nullptr;
  std::atomic<int64_t>* memtable_bytes = nullptr;  // of all tablets, frozen ones included
  const std::atomic<bool>* stopping = nullptr;     // ends compactions early
  bool paranoid_flush = false;                     // as in StoreOptions
  // Of the change archive, with a directory for each table that has a change stream, made before
  // the table's schema says so. Empty: no changes are kept.
  std::string change_directory;
};

// The write did not happen: the row has another tablet now. The store routes it again; no caller of
// the store sees this.
inline bool IsMoved(const Status& status) { return status.code() == StatusCode::kOutOfRange; }

// A read to run again at the commit of a row transaction, with the digest its cells had.
struct RowCheck {
  ReadSpec read;  // rows are ignored
  uint64_t digest = 0;
};

// XXH3 over all cells with times and sequences, in order; reads `stream` to its end.
[[nodiscard]] StatusOr<uint64_t> DigestCells(CellStream* stream);

class Tablet {
 public:
  // Opens no SSTable: the first read that needs one does.
  static std::shared_ptr<Tablet> Open(TabletContext* context, TabletState state,
                                      std::shared_ptr<const TableSchema> schema);
  ~Tablet();

  // --- Recovery, one thread. Records in the order of the log; those behind the redo point are
  // applied, older ones skipped. kDataLoss when numbers are missing.
  [[nodiscard]] Status Replay(const LogRecord& record);

  // --- Writes. Rows are in range (the store routes them).
  // Those with a request id are done once: the second time they find their answer.
  // One status per mutation. Those that are valid go into one group of the log.
  [[nodiscard]] std::vector<Status> Apply(std::span<const RowMutation* const> mutations);
  [[nodiscard]] StatusOr<RowUpdateResult> Update(const RowUpdate& update);
  // One answer each. Operations (RowUpdate::IsOperation) that follow each other go into one group
  // of the log, those of one row, too.
  [[nodiscard]] std::vector<StatusOr<RowUpdateResult>> UpdateBatch(
      std::span<const RowUpdate* const> updates);
  // Applies `mutation` if every check still answers the same, else kAborted.
  [[nodiscard]] Status CommitRow(const RowMutation& mutation, std::span<const RowCheck> checks);

  // --- Reads: one consistent snapshot, which the stream keeps alive. Rows are clipped to the
  // range. `stop` (may be null) is asked now and then, `counters` (may be null) added to when the
  // stream ends; both outlive it.
  [[nodiscard]] StatusOr<std::unique_ptr<CellStream>> Read(const ReadSpec& read,
                                                           const StopSignal* stop = nullptr,
                                                           ReadCounters* counters = nullptr);

  // --- Maintenance.
  // Minor compaction of everything in memory now; moves the redo point. OK when there is nothing.
  [[nodiscard]] Status Flush();
  // What the schedule chooses from: one for each group that has runs.
  void AddCompactionCandidates(std::vector<CompactionCandidate>* candidates) const;
  // Carries out a choice. False when its runs are not there any more, or being compacted. Choices
  // of the same group may run at the same time. `limiter` may be nullptr.
  [[nodiscard]] StatusOr<bool> Compact(const CompactionCandidate& candidate,
                                       const CompactionChoice& choice, RateLimiter* limiter);
  // Gathers families that ALTER moved to another group; true if it did something.
  [[nodiscard]] StatusOr<bool> SettleOnce();
  // One compaction if the policy wants one; true if it did something.
  [[nodiscard]] StatusOr<bool> CompactOnce(CompactionPolicyOptions options = {});
  // Flush and major compaction of one group ("" = all): one run, no tombstones, no garbage. IsMoved
  // when the tablet was split or merged meanwhile.
  [[nodiscard]] Status CompactMajor(const std::string& group);
  // Before OK, the births of new families and the groups that moved families leave are recorded.
  [[nodiscard]] Status PrepareSchema(const TableSchema& schema);
  void SetSchema(std::shared_ptr<const TableSchema> schema);
  // For a table that is altered also while nobody has the tablet: each numbered family that the
  // state has not heard of is born now, as what the tablet has of it is of an earlier one; groups
  // that hold what belongs in another by now are noted. After Replay, before the first call.
  [[nodiscard]] Status HearOfFamilies();
  std::shared_ptr<const TableSchema> schema() const;
  // The tablet's table was dropped: writes fail, files go when the last reader has ended.
  void Drop() { Release(Serving::kDropped); }
  [[nodiscard]] Status VerifyFiles() const;

  // --- Changes, of a table with a change stream (engine/changes).
  // From the next write on, before the schema says so: nothing is missed when it does.
  void KeepChanges();
  // Where tablets change servers: rises with each that has it, and so do the ids of files of
  // changes, which says whose are newer. Without, the store's epochs do. Before the first write.
  void SetOwnerEpoch(uint64_t epoch) { owner_epoch_ = epoch; }
  ChangeSource Changes() const;  // good as long as the tablet
  uint64_t table_id() const { return table_id_; }

  // --- Giving way to other tablets, in this order; readers go on with what they have.
  // No compaction runs in between.
  void PauseCompactions();
  void ResumeCompactions();
  // New writes get IsMoved; returns when none is under way.
  void CloseForWrites();
  // Everything to SSTables; the state with which others may go on. Requires: closed for writes.
  [[nodiscard]] StatusOr<TabletState> HandOver();
  // Either it stays: writes go on,
  void Reopen();
  // or others have its rows now,
  void Retire() { Release(Serving::kMoved); }
  // or nobody knows: no write, and no way back, until the store is opened again.
  void GiveUp() { SetServing(Serving::kUnknown); }
  // About the middle of the tablet: the first row of a right half. nullopt: there are no two rows,
  // or too few bytes to tell them apart from the indexes.
  [[nodiscard]] StatusOr<std::optional<std::string>> MiddleRow() const;
  // Stored bytes of the file's rows in `rows`, from its index; without an index, half.
  uint64_t StoredBytesOf(const FileRef& file, const RowRange& rows) const;
  // Rewrites everything, so that no cell of a family dropped earlier is left, and forgets the
  // births of families: sequence numbers that mean nothing in another tablet. Numbered families
  // stay known.
  [[nodiscard]] Status ForgetBirths();
  std::map<std::string, uint64_t> FamilyBirths() const;

  uint64_t id() const { return id_; }
  const RowRange& range() const { return range_; }
  uint64_t redo_sequence() const { return redo_sequence_.load(); }
  uint64_t last_sequence() const;  // of what is visible
  int64_t memtable_bytes() const { return memtable_bytes_.load(); }
  uint64_t stored_bytes() const;
  int64_t opened_at_us() const { return opened_at_us_; }
  uint64_t work_nanos() const { return work_->nanos(); }
  // Size at which no row was found to split at; 0: not tried.
  uint64_t unsplit_bytes() const { return unsplit_bytes_.load(); }
  void SetUnsplitBytes(uint64_t bytes) { unsplit_bytes_ = bytes; }
  std::vector<GroupStats> Stats() const;
  // Time of the oldest write that only memtables and the log hold; 0 = there is none.
  int64_t oldest_write_us() const;
  // For people: range, redo point, groups, memtables, runs, files.
  std::string Dump() const;

 private:
  struct Snapshot {
    std::shared_ptr<const TabletVersion> version;
    std::shared_ptr<const FamilyRules> rules;
    std::shared_ptr<const TableSchema> schema;
    uint64_t sequence = 0;
  };
  enum class Serving : uint8_t { kOpen, kMoved, kDropped, kUnknown };
  struct PreparedWrite;

  Tablet(TabletContext* context, TabletState state);
  void FindFiles();
  void SetServing(Serving serving);
  Serving serving() const;
  Status CheckServing() const;
  Status WhyClosed(Serving serving) const;
  // Asked under the locks of the rows to be written: whoever closes the tablet for writes waits for
  // those, so no write goes on under a schema from before.
  StatusOr<std::shared_ptr<const TableSchema>> SchemaForWrite() const;
  void Release(Serving why);
  Snapshot TakeSnapshot() const;
  static std::shared_ptr<const FamilyRules> MakeRules(const TableSchema& schema,
                                                      const TabletState& state);
  RowLock::Mode LockMode(std::span<const RowMutation* const> mutations) const;
  std::vector<Status> ApplyBatch(std::span<const RowMutation* const> mutations);
  Status Prepare(const RowMutation& mutation, const TableSchema& schema, PreparedWrite* out);
  Status Resolve(const TableSchema& schema, RowMutation* mutation);
  Status ResolveOnNewest(const std::string& row, const std::vector<MutationEntry>& earlier,
                         int64_t now_us, MutationEntry* entry);
  Status ResolveAddition(FamilyType type, const std::string& row, MutationEntry addition,
                         AddedCells* cells, std::vector<MutationEntry>* resolved);
  Status Commit(std::span<PreparedWrite> writes);
  Status CommitOne(const RowMutation& mutation, const TableSchema& schema);
  // nullopt: the mutation has no request id, or is new.
  std::optional<Status> FindAnswer(const RowMutation& mutation) const;
  // The write's request is answered with this; in its log record from here on.
  void Answer(PreparedWrite* write, const RequestId& request, std::string answer);
  // The row as it will be when the writes are done. Row lock held.
  StatusOr<std::unique_ptr<CellStream>> ReadRowAfter(std::span<const PreparedWrite> writes,
                                                     const std::string& row, const ReadSpec& read);
  StatusOr<RowUpdateResult> UpdateLocked(const RowUpdate& update, const TableSchema& schema);
  StatusOr<RowUpdateResult> PrepareOperation(const RowUpdate& update, const TableSchema& schema,
                                             std::span<const PreparedWrite> before,
                                             PreparedWrite* write);
  Status CommitAnswered(const RowUpdate& update, const RowMutation& mutation,
                        const TableSchema& schema, RowUpdateResult* result);
  StatusOr<std::unique_ptr<CellStream>> ReadSnapshot(Snapshot snapshot, const ReadSpec& read,
                                                     const StopSignal* stop,
                                                     ReadCounters* counters);
  StatusOr<std::unique_ptr<CellStream>> ReadRow(const std::string& row, const ReadSpec& read);
  // `log_body` goes to the changes where they are kept.
  void ApplyToMemtables(const RowMutation& mutation, int64_t wall_us, uint64_t first_sequence,
                        std::string* log_body);
  void KeepChange(std::string* log_body);
  Status ArchiveChanges(uint64_t sequence);
  void FreeMemory(int64_t bytes);
  // Row lock held. Never below one given before, also by an earlier server of these rows: what was
  // given lies in the log records and, from a flush on, in the tablet's state.
  int64_t NextServerTime(const TableSchema& schema);
  // Durable first, then what it names.
  Status SaveState(TabletState changed) REQUIRES(state_mutex_);
  void Freeze();
  Status WriteFrozen(const std::shared_ptr<const TabletVersion>& version, uint64_t frozen_sequence);
  CompactionRequest NewCompactionRequest(const TableSchema& schema, const std::string& group,
                                         bool is_final);
  using GroupRuns = std::vector<std::pair<std::string, TabletRun>>;  // by group
  Status WriteGroups(const std::shared_ptr<const TabletVersion>& version, GroupRuns* runs);
  StatusOr<std::vector<FileSummary>> FlushGroup(const GroupVersion& group,
                                                const Snapshot& snapshot);
  TabletRun FindRun(const RunState& state);
  StatusOr<TabletRun> OpenOutput(std::vector<FileSummary> files);
  void RemoveOutput(const TabletRun& run);
  void InstallFlush(const GroupRuns& runs, const TabletVersion& flushed);
  StatusOr<std::set<std::string>> SettleAlone(const std::string& group);
  StatusOr<std::set<std::string>> Settle(const std::string& group);
  Status SettleGroups(const SettlingPlan& plan, const Snapshot& snapshot);
  StatusOr<std::vector<FileSummary>> MergeFamilies(const std::string& group,
                                                   const std::set<std::string>& families,
                                                   const std::vector<TabletRun>& runs,
                                                   const Snapshot& snapshot);
  Status InstallSettled(const SettlingPlan& plan, const Snapshot& snapshot,
                        const std::map<std::string, TabletRun>& outputs);
  Status CompactWhole(const std::string& group, const std::string& reason, RateLimiter* limiter);
  bool TakeRuns(const CompactionCandidate& candidate, const CompactionChoice& choice,
                CompactionInputs* inputs);
  [[nodiscard]] Status TakeAllRuns(const std::string& group, CompactionInputs* inputs);
  void ReleaseRuns(const CompactionInputs& inputs);
  Status CarryOut(const CompactionInputs& inputs);
  Status Rewrite(const CompactionInputs& inputs, uint64_t* bytes_out);
  StatusOr<std::vector<FileSummary>> MergeRuns(const CompactionInputs& inputs);
  Status InstallCompaction(const CompactionInputs& inputs, const TabletRun& output);

  TabletContext* const context_;
  const uint64_t id_;
  const uint64_t table_id_;
  const RowRange range_;
  const int64_t opened_at_us_;
  const std::shared_ptr<ReadTotals> read_totals_;  // of the table
  const std::shared_ptr<TabletWork> work_ = std::make_shared<TabletWork>();

  mutable Mutex apply_mutex_;
  Mutex flush_mutex_;  // one flush at a time
  mutable Mutex state_mutex_;
  TabletState state_ GUARDED_BY(state_mutex_);
  // A save failed: it may have been done, or be done yet, until another one succeeds.
  UnpublishedFiles::Job unsure_ GUARDED_BY(state_mutex_);

  mutable Mutex mutex_;
  std::shared_ptr<const TabletVersion> version_ GUARDED_BY(mutex_);
  std::shared_ptr<const TableSchema> schema_ GUARDED_BY(mutex_);
  std::shared_ptr<const FamilyRules> rules_ GUARDED_BY(mutex_);
  uint64_t visible_sequence_ GUARDED_BY(mutex_) = 0;
  uint64_t frozen_sequence_ GUARDED_BY(mutex_) = 0;  // highest number in a frozen memtable
  Serving serving_ GUARDED_BY(mutex_) = Serving::kOpen;
  std::set<uint64_t> busy_runs_ GUARDED_BY(mutex_);  // inputs of running compactions
  bool paused_ GUARDED_BY(mutex_) = false;           // no compaction may begin
  size_t majors_waiting_ GUARDED_BY(mutex_) = 0;     // for these to end; no other may begin
  CondVar compaction_ended_;
  int64_t oldest_write_us_ GUARDED_BY(mutex_) = 0;  // in the active memtables; 0 = none
  int64_t frozen_write_us_ GUARDED_BY(mutex_) = 0;  // in the frozen ones

  RequestMemory requests_;
  ChangeTail changes_;
  uint64_t owner_epoch_ = 0;
  uint64_t next_sequence_ = 1;  // belongs to the leader of the log, and to recovery
  std::atomic<uint64_t> redo_sequence_{0};
  std::atomic<int64_t> last_time_us_{0};
  std::atomic<int64_t> memtable_bytes_{0};
  std::atomic<uint64_t> unsplit_bytes_{0};
};

}  // namespace sippar::engine
