// One tablet: a row range of a table, with its memtables, SSTables and redo point (paper section
// 5). Forwards the common calls to its parts, which do the work on one TabletBody that they share:
//   serving()    whether it is served, and giving way to other tablets
//   changes()    what is kept for a change stream
//   reader()     reads
//   writer()     writes, answers to repeated requests, recovery
//   flusher()    minor compactions and the redo point
//   compactor()  merging, major and settling compactions
//   families()   changes of the schema
//
// Thread safe. Lock order: tablet_body.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/tablet/group_stats.h"
#include "engine/tablet/kept_changes.h"
#include "engine/tablet/tablet_body.h"
#include "engine/tablet/tablet_compactor.h"
#include "engine/tablet/tablet_families.h"
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

  TabletServing& serving() { return serving_; }
  const TabletServing& serving() const { return serving_; }
  KeptChanges& changes() { return changes_; }
  TabletReader& reader() { return reader_; }
  TabletWriter& writer() { return writer_; }
  TabletFlusher& flusher() { return flusher_; }
  TabletCompactor& compactor() { return compactor_; }
  TabletFamilies& families() { return families_; }

  uint64_t id() const { return body_.id; }
  uint64_t table_id() const { return body_.table_id; }
  const RowRange& range() const { return body_.range; }
  std::shared_ptr<const TableSchema> schema() const { return body_.TakeSnapshot().schema; }
  // The last sequence number that is visible to reads.
  uint64_t last_sequence() const { return body_.TakeSnapshot().sequence; }

  // These call the methods of the parts, whose headers describe them.
  [[nodiscard]] StatusOr<std::unique_ptr<CellStream>> Read(const ReadSpec& read,
                                                           const StopSignal* stop = nullptr,
                                                           ReadCounters* counters = nullptr,
                                                           ReadForm form = ReadForm::kCells) {
    return reader_.Read(read, stop, counters, form);
  }
  [[nodiscard]] std::vector<Status> Apply(std::span<const RowMutation* const> mutations) {
    return writer_.Apply(mutations);
  }
  [[nodiscard]] StatusOr<RowUpdateResult> Update(const RowUpdate& update) {
    const RowUpdate* only = &update;
    return std::move(writer_.UpdateBatch({&only, 1}).front());
  }
  [[nodiscard]] Status CommitRow(const RowMutation& mutation, std::span<const RowCheck> checks) {
    return writer_.CommitRow(mutation, checks);
  }
  [[nodiscard]] Status Flush() { return flusher_.Flush(); }
  [[nodiscard]] StatusOr<bool> CompactOnce(CompactionPolicyOptions options = {}) {
    return compactor_.CompactOnce(options);
  }
  [[nodiscard]] Status CompactMajor(const std::string& group) {
    return compactor_.CompactMajor(group);
  }

  // --- Sizes and files.
  int64_t memtable_bytes() const { return body_.memory.bytes(); }
  uint64_t stored_bytes() const;
  uint64_t work_nanos() const { return body_.work->nanos(); }
  std::vector<GroupStats> Stats() const;
  // The row at which to split the tablet (MiddleRowOf).
  [[nodiscard]] StatusOr<std::optional<std::string>> MiddleRow() const;
  // Stored bytes when a split last failed or found no row to split at; 0: never.
  uint64_t unsplit_bytes() const { return unsplit_bytes_.load(); }
  void SetUnsplitBytes(uint64_t bytes) { unsplit_bytes_ = bytes; }
  // Stored bytes of the file's rows in `rows` (StoredBytesIn).
  uint64_t StoredBytesOf(const FileRef& file, const RowRange& rows) const;
  // Reads all files and, if this is the first tablet of its table, the archive of the change
  // stream.
  [[nodiscard]] Status VerifyFiles() const;
  // Text for operators: range, redo point, groups, memtables, runs, files.
  std::string Dump() const;

 private:
  Tablet(TabletContext* context, TabletState state) : body_(context, std::move(state)) {}

  TabletBody body_;
  TabletServing serving_{&body_};
  KeptChanges changes_{&body_};
  TabletReader reader_{&body_};
  TabletWriter writer_{&body_, &serving_, &reader_, &changes_};
  TabletFlusher flusher_{&body_, &serving_, &writer_, &changes_};
  TabletCompactor compactor_{&body_, &serving_, &flusher_};
  TabletFamilies families_{&body_, &changes_, &compactor_};
  std::atomic<uint64_t> unsplit_bytes_{0};
};

}  // namespace sippar::engine
