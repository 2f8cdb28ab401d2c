// Writes of one tablet: row locks, validation, times, the answers to repeated requests, the log,
// and then the memtables, where readers see the write. tablet_writer.cc commits mutations,
// row_transaction.cc has the updates that read a row, decide and write it under the row's lock.
//
// Thread safe. A write takes its row's lock, then the log's, then body's apply_mutex and mutex.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/log/log_format.h"
#include "engine/model/mutation.h"
#include "engine/program/row_update.h"
#include "engine/tablet/kept_changes.h"
#include "engine/tablet/prepared_write.h"
#include "engine/tablet/request_memory.h"
#include "engine/tablet/row_check.h"
#include "engine/tablet/row_lock.h"
#include "engine/tablet/server_time.h"
#include "engine/tablet/tablet_body.h"
#include "engine/tablet/tablet_reader.h"
#include "engine/tablet/tablet_serving.h"

namespace sippar::engine {

class TabletWriter {
 public:
  // All four arguments outlive this object. The remembered answers, the times and the sequence
  // numbers continue from the state of `body`.
  TabletWriter(TabletBody* body, const TabletServing* serving, TabletReader* reader,
               KeptChanges* changes);
  TabletWriter(const TabletWriter&) = delete;
  TabletWriter& operator=(const TabletWriter&) = delete;

  // kUnavailable for a row outside the tablet's range. A write with a request id is applied only
  // once: a repeated request gets the answer of the first request. Returns one status per
  // mutation. Mutations go into the log in one group, except that a mutation that reads its row is
  // in a group of its own.
  [[nodiscard]] std::vector<Status> Apply(std::span<const RowMutation* const> mutations);
  // Returns one answer per update. Consecutive operations (RowUpdate::IsOperation) go into one
  // group of the log, even those on the same row; a checked mutation (RowUpdate::check) that
  // increments, appends to or adds to cells begins a new group.
  [[nodiscard]] std::vector<StatusOr<RowUpdateResult>> UpdateBatch(
      std::span<const RowUpdate* const> updates);
  // Repeats the read of each check. Applies `mutation` if all digests are still the same, else
  // returns kAborted.
  [[nodiscard]] Status CommitRow(const RowMutation& mutation, std::span<const RowCheck> checks);

  // One thread calls this during recovery, before the first write, with the tablet's records in the
  // order of the log. Applies the records after the redo point and skips older ones. Returns
  // kDataLoss if sequence numbers are missing.
  [[nodiscard]] Status Replay(const LogRecord& record);
  // Saves in `*state` the remembered answers and the largest time given to a write. The answers and
  // the time may include writes whose entries the state does not include yet. The log still has
  // those writes, and their replay does not change the saved answers and time.
  void SaveTo(TabletState* state) const;

 private:
  // Returns the schema for a write, or the error if writes are refused. Called under the locks of
  // the rows to be written: TabletServing::Close waits for those locks, so no write continues under
  // an older schema.
  StatusOr<std::shared_ptr<const TableSchema>> SchemaForWrite() const;
  RowLock::Mode LockFor(const RowMutation& mutation) const;
  std::vector<Status> ApplyBatch(std::span<const RowMutation* const> mutations);
  Status CommitOne(const RowMutation& mutation, const TableSchema& schema);
  Status Prepare(const RowMutation& mutation, const TableSchema& schema, PreparedWrite* out);
  // `has_place`: see CommitLog::Append.
  Status Commit(std::span<PreparedWrite> writes, const std::function<void()>& has_place = {});
  // If the tablet keeps changes, the change stream takes the contents of `*log_body`.
  void ApplyToMemtables(const RowMutation& mutation, int64_t wall_us, uint64_t first_sequence,
                        std::string* log_body);
  // The remembered answer; nullopt: the request has no id, or was not seen before.
  std::optional<Status> FindAnswer(const RequestId& request) const;
  void Remember(const RequestId& request, const std::string& answer, int64_t wall_us);
  // Sets the answer to the write's request and adds it to the write's log record.
  static void Answer(PreparedWrite* write, const RequestId& request, std::string answer);
  // Reads the row as it will be once `writes` are done. Row lock held.
  StatusOr<std::unique_ptr<CellStream>> ReadRowAfter(std::span<const PreparedWrite> writes,
                                                     const std::string& row, const ReadSpec& read);
  StatusOr<RowUpdateResult> UpdateLocked(const RowUpdate& update, const TableSchema& schema);
  StatusOr<RowUpdateResult> PrepareOperation(const RowUpdate& update, const TableSchema& schema,
                                             std::span<const PreparedWrite> before,
                                             PreparedWrite* write);
  Status CommitAnswered(const RowUpdate& update, const RowMutation& mutation,
                        const TableSchema& schema, RowUpdateResult* result);

  TabletBody* const body_;
  const TabletServing* const serving_;
  TabletReader* const reader_;
  KeptChanges* const changes_;
  RequestMemory requests_;
  ServerTime time_;
  uint64_t next_sequence_;  // used only by recovery and by the log (CommitLog::Write)
};

}  // namespace sippar::engine
