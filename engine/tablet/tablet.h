// One tablet: a row range of a table, with its memtables, SSTables and redo point (paper section
// 5). Each .cc holds one verb: tablet_open, tablet_schema, tablet_read, tablet_write,
// row_transaction, tablet_flush, tablet_changes, tablet_compact, tablet_settle, tablet_stats,
// tablet_dump, tablet_reshape.
//
// Thread safe. Lock order: as in tablet_body.h.
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

#include "engine/tablet/group_stats.h"
#include "engine/tablet/kept_changes.h"
#include "engine/tablet/tablet_body.h"
#include "engine/tablet/tablet_compactor.h"
#include "engine/tablet/tablet_flusher.h"
#include "engine/tablet/tablet_reader.h"
#include "engine/tablet/tablet_serving.h"
#include "engine/tablet/tablet_writer.h"

namespace sippar::engine {

class Tablet {
 public:
  // Opens no SSTable: the first read that needs a file opens it.
  static std::shared_ptr<Tablet> Open(TabletContext* context, TabletState state,
                                      std::shared_ptr<const TableSchema> schema);

  // As the methods of TabletWriter.
  [[nodiscard]] Status Replay(const LogRecord& record) { return writer_.Replay(record); }
  [[nodiscard]] std::vector<Status> Apply(std::span<const RowMutation* const> mutations) {
    return writer_.Apply(mutations);
  }
  [[nodiscard]] StatusOr<RowUpdateResult> Update(const RowUpdate& update) {
    const RowUpdate* only = &update;
    return std::move(writer_.UpdateBatch({&only, 1}).front());
  }
  [[nodiscard]] std::vector<StatusOr<RowUpdateResult>> UpdateBatch(
      std::span<const RowUpdate* const> updates) {
    return writer_.UpdateBatch(updates);
  }
  [[nodiscard]] Status CommitRow(const RowMutation& mutation, std::span<const RowCheck> checks) {
    return writer_.CommitRow(mutation, checks);
  }
  // As TabletReader::Read.
  [[nodiscard]] StatusOr<std::unique_ptr<CellStream>> Read(const ReadSpec& read,
                                                           const StopSignal* stop = nullptr,
                                                           ReadCounters* counters = nullptr) {
    return reader_.Read(read, stop, counters);
  }

  // --- Maintenance.
  [[nodiscard]] Status Flush() { return flusher_.Flush(); }
  TabletFlusher& flusher() { return flusher_; }
  const TabletFlusher& flusher() const { return flusher_; }
  [[nodiscard]] StatusOr<bool> CompactOnce(CompactionPolicyOptions options = {}) {
    return compactor_.CompactOnce(options);
  }
  [[nodiscard]] Status CompactMajor(const std::string& group) {
    return compactor_.CompactMajor(group);
  }
  TabletCompactor& compactor() { return compactor_; }
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
  uint64_t last_sequence() const;  // the last visible one
  int64_t memtable_bytes() const { return body_.memory.bytes(); }
  uint64_t stored_bytes() const;
  uint64_t work_nanos() const { return body_.work->nanos(); }
  // Stored bytes when the last search for a split row found none; 0: never searched.
  uint64_t unsplit_bytes() const { return unsplit_bytes_.load(); }
  void SetUnsplitBytes(uint64_t bytes) { unsplit_bytes_ = bytes; }
  std::vector<GroupStats> Stats() const;
  // Text for operators: range, redo point, groups, memtables, runs, files.
  std::string Dump() const;

 private:
  Tablet(TabletContext* context, TabletState state);
  static std::shared_ptr<const FamilyRules> MakeRules(const TableSchema& schema,
                                                      const TabletState& state);

  TabletBody body_;
  TabletServing serving_{&body_};
  KeptChanges changes_{&body_};
  TabletReader reader_{&body_};
  TabletWriter writer_{&body_, &serving_, &reader_, &changes_};
  TabletFlusher flusher_{&body_, &serving_, &writer_, &changes_};
  TabletCompactor compactor_{&body_, &serving_, &flusher_};
  std::atomic<uint64_t> unsplit_bytes_{0};
};

}  // namespace sippar::engine
