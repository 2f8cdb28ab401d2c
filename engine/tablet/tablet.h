// One tablet: a row range of a table, with its memtables, SSTables and redo point (paper section
// 5). Each .cc holds one verb: tablet_open, tablet_schema, tablet_read, tablet_write,
// row_transaction, tablet_flush, tablet_changes, tablet_compact, tablet_settle, tablet_stats,
// tablet_dump, tablet_reshape.
//
// Thread safe. Lock order: flush_mutex_, then as in tablet_body.h.
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
#include "engine/base/thread.h"
#include "engine/compaction/compaction_history.h"
#include "engine/compaction/compaction_schedule.h"
#include "engine/compaction/rate_limiter.h"
#include "engine/log/commit_log.h"
#include "engine/model/mutation.h"
#include "engine/model/schema.h"
#include "engine/program/row_update.h"
#include "engine/tablet/group_stats.h"
#include "engine/tablet/kept_changes.h"
#include "engine/tablet/request_memory.h"
#include "engine/tablet/tablet_body.h"
#include "engine/tablet/tablet_reader.h"
#include "engine/tablet/tablet_serving.h"

namespace sippar::engine {

class AddedCells;
struct CompactionInputs;

// A read that is repeated when a row transaction commits, and the digest of the cells it returned.
struct RowCheck {
  ReadSpec read;  // its rows are ignored: the row is the mutation's
  uint64_t digest = 0;
};

// XXH3 over all cells with their times and sequence numbers, in order. Reads `stream` to its end.
[[nodiscard]] StatusOr<uint64_t> DigestCells(CellStream* stream);

class Tablet {
 public:
  // Opens no SSTable: the first read that needs a file opens it.
  static std::shared_ptr<Tablet> Open(TabletContext* context, TabletState state,
                                      std::shared_ptr<const TableSchema> schema);

  // --- Recovery, by one thread. Takes the tablet's records in the order of the log; applies those
  // after the redo point and skips older ones. kDataLoss if sequence numbers are missing.
  [[nodiscard]] Status Replay(const LogRecord& record);

  // --- Writes. The store routes only rows in range() here. A write with a request id is done once:
  // a repetition gets the answer of the first.
  // Returns one status per mutation. All valid mutations go into one group of the log.
  [[nodiscard]] std::vector<Status> Apply(std::span<const RowMutation* const> mutations);
  [[nodiscard]] StatusOr<RowUpdateResult> Update(const RowUpdate& update);
  // Returns one answer per update. Consecutive operations (RowUpdate::IsOperation) go into one
  // group of the log, even those on the same row.
  [[nodiscard]] std::vector<StatusOr<RowUpdateResult>> UpdateBatch(
      std::span<const RowUpdate* const> updates);
  // Applies `mutation` if every check still has the same digest, else returns kAborted.
  [[nodiscard]] Status CommitRow(const RowMutation& mutation, std::span<const RowCheck> checks);

  // As TabletReader::Read.
  [[nodiscard]] StatusOr<std::unique_ptr<CellStream>> Read(const ReadSpec& read,
                                                           const StopSignal* stop = nullptr,
                                                           ReadCounters* counters = nullptr) {
    return reader_.Read(read, stop, counters);
  }

  // --- Maintenance.
  // Minor compaction: writes everything in memory to SSTables and moves the redo point. OK if there
  // is nothing to write.
  [[nodiscard]] Status Flush();
  // Adds one candidate, for the schedule to choose from, for each group that has runs.
  void AddCompactionCandidates(std::vector<CompactionCandidate>* candidates) const;
  // Carries out a choice. False if its runs are gone or already being compacted. Choices of the
  // same group may run concurrently. `limiter` may be null.
  [[nodiscard]] StatusOr<bool> Compact(const CompactionCandidate& candidate,
                                       const CompactionChoice& choice, RateLimiter* limiter);
  // Moves the older cells of families that ALTER moved to their new group; true if there were any.
  [[nodiscard]] StatusOr<bool> SettleOnce();
  // Runs one compaction if the policy wants one; true if it did.
  [[nodiscard]] StatusOr<bool> CompactOnce(CompactionPolicyOptions options = {});
  // Flush and major compaction of one group ("": all): leaves one run without tombstones or
  // garbage. IsMoved if the tablet was split or merged before it ended.
  [[nodiscard]] Status CompactMajor(const std::string& group);
  // Saves the births of new families and the groups that moved families leave. Called before the
  // schema takes force.
  [[nodiscard]] Status PrepareSchema(const TableSchema& schema);
  void SetSchema(std::shared_ptr<const TableSchema> schema);
  // For tables that can be altered while no server has the tablet. Each numbered family that the
  // state does not know is born now, since any cells that the tablet has under its name belong to
  // an earlier family; groups that hold cells of a family of another group are recorded as moves.
  // Called after Replay, before any other call.
  [[nodiscard]] Status HearOfFamilies();
  std::shared_ptr<const TableSchema> schema() const;
  [[nodiscard]] Status VerifyFiles() const;

  // --- Changes, for tables with a change stream (engine/changes).
  KeptChanges& changes() { return changes_; }
  uint64_t table_id() const { return body_.table_id; }

  // --- Giving way to other tablets, with serving().
  TabletServing& serving() { return serving_; }
  const TabletServing& serving() const { return serving_; }
  // No compaction runs between these two.
  void PauseCompactions();
  void ResumeCompactions();
  // Flushes everything and returns the state from which other tablets can continue. Requires:
  // closed for writes.
  [[nodiscard]] StatusOr<TabletState> HandOver();
  // The first row of the right half, at about the middle of the stored bytes. nullopt: the tablet
  // has fewer than two rows, or too few bytes for its block indexes to tell rows apart.
  [[nodiscard]] StatusOr<std::optional<std::string>> MiddleRow() const;
  // Stored bytes of the file's rows in `rows`, from its index; half of the file if it does not
  // open.
  uint64_t StoredBytesOf(const FileRef& file, const RowRange& rows) const;
  // Rewrites all runs, so that no cell of a dropped family is left, and forgets the births of
  // families, which are sequence numbers without meaning in another tablet. Numbered families stay
  // known.
  [[nodiscard]] Status ForgetBirths();
  std::map<std::string, uint64_t> FamilyBirths() const;

  uint64_t id() const { return body_.id; }
  const RowRange& range() const { return body_.range; }
  uint64_t redo_sequence() const { return redo_sequence_.load(); }
  uint64_t last_sequence() const;  // the last visible one
  int64_t memtable_bytes() const { return body_.memory.bytes(); }
  uint64_t stored_bytes() const;
  uint64_t work_nanos() const { return body_.work->nanos(); }
  // Stored bytes when the last search for a split row found none; 0: never searched.
  uint64_t unsplit_bytes() const { return unsplit_bytes_.load(); }
  void SetUnsplitBytes(uint64_t bytes) { unsplit_bytes_ = bytes; }
  std::vector<GroupStats> Stats() const;
  // Time of the oldest write that only memtables and the log hold; 0: there is none.
  int64_t oldest_write_us() const;
  // Text for operators: range, redo point, groups, memtables, runs, files.
  std::string Dump() const;

 private:
  struct PreparedWrite;

  Tablet(TabletContext* context, TabletState state);
  // The schema for a write, or why writes are refused. Called under the locks of the rows to be
  // written: TabletServing::Close waits for those locks, so no write continues under an older
  // schema.
  StatusOr<std::shared_ptr<const TableSchema>> SchemaForWrite() const;
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
  // The remembered answer; nullopt: the mutation has no request id, or was not seen before.
  std::optional<Status> FindAnswer(const RowMutation& mutation) const;
  // Sets the answer to the write's request and adds it to the write's log record.
  void Answer(PreparedWrite* write, const RequestId& request, std::string answer);
  // Reads the row as it will be once `writes` are done. Row lock held.
  StatusOr<std::unique_ptr<CellStream>> ReadRowAfter(std::span<const PreparedWrite> writes,
                                                     const std::string& row, const ReadSpec& read);
  StatusOr<RowUpdateResult> UpdateLocked(const RowUpdate& update, const TableSchema& schema);
  StatusOr<RowUpdateResult> PrepareOperation(const RowUpdate& update, const TableSchema& schema,
                                             std::span<const PreparedWrite> before,
                                             PreparedWrite* write);
  Status CommitAnswered(const RowUpdate& update, const RowMutation& mutation,
                        const TableSchema& schema, RowUpdateResult* result);
  // Takes `log_body` for the change stream if the table keeps changes.
  void ApplyToMemtables(const RowMutation& mutation, int64_t wall_us, uint64_t first_sequence,
                        std::string* log_body);
  // A timestamp never below one given before, even by an earlier server of these rows: the log
  // records carry the largest time given, and the tablet's state keeps it from a flush on. Row lock
  // held.
  int64_t NextServerTime(const TableSchema& schema);
  void Freeze();
  Status WriteFrozen(const std::shared_ptr<const TabletVersion>& version, uint64_t frozen_sequence);
  using GroupRuns = std::vector<std::pair<std::string, TabletRun>>;  // group and its new run
  Status WriteGroups(const std::shared_ptr<const TabletVersion>& version, GroupRuns* runs);
  StatusOr<std::vector<FileSummary>> FlushGroup(const GroupVersion& group,
                                                const TabletSnapshot& snapshot);
  void InstallFlush(const GroupRuns& runs, const TabletVersion& flushed);
  StatusOr<std::set<std::string>> SettleAlone(const std::string& group);
  StatusOr<std::set<std::string>> Settle(const std::string& group);
  Status SettleGroups(const SettlingPlan& plan, const TabletSnapshot& snapshot);
  StatusOr<std::vector<FileSummary>> MergeFamilies(const std::string& group,
                                                   const std::set<std::string>& families,
                                                   const std::vector<TabletRun>& runs,
                                                   const TabletSnapshot& snapshot);
  Status InstallSettled(const SettlingPlan& plan, const TabletSnapshot& snapshot,
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

  TabletBody body_;
  TabletServing serving_{&body_};
  KeptChanges changes_{&body_};
  TabletReader reader_{&body_};
  Mutex flush_mutex_;                                     // one flush at a time
  uint64_t frozen_sequence_ GUARDED_BY(body_.mutex) = 0;  // highest number in a frozen memtable
  std::set<uint64_t> busy_runs_ GUARDED_BY(body_.mutex);  // inputs of running compactions
  bool paused_ GUARDED_BY(body_.mutex) = false;           // while true, no compaction may begin
  // Calls that wait for running compactions to end. While there are any, no other compaction may
  // begin.
  size_t majors_waiting_ GUARDED_BY(body_.mutex) = 0;
  CondVar compaction_ended_;
  int64_t frozen_write_us_ GUARDED_BY(body_.mutex) =
      0;  // oldest write in the frozen memtables; 0: none

  RequestMemory requests_;
  uint64_t next_sequence_ = 1;  // used only by the leader of the log and by recovery
  std::atomic<uint64_t> redo_sequence_{0};
  std::atomic<int64_t> last_time_us_{0};
  std::atomic<uint64_t> unsplit_bytes_{0};
};

}  // namespace sippar::engine
