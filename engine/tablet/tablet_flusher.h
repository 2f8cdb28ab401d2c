// Minor compactions of one tablet (paper section 5.4): writes memtables to SSTables and moves the
// redo point. The order is: freeze, write and sync the files, sync their directory, save the state
// that names them, and only then release the memtables. A crash in between leaves orphan files and
// a log that is replayed.
//
// Thread safe. One flush at a time: its own lock comes before all others of the tablet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/tablet/kept_changes.h"
#include "engine/tablet/tablet_body.h"
#include "engine/tablet/tablet_serving.h"
#include "engine/tablet/tablet_writer.h"

namespace sippar::engine {

class TabletFlusher {
 public:
  // All four outlive this object.
  TabletFlusher(TabletBody* body, const TabletServing* serving, const TabletWriter* writer,
                KeptChanges* changes)
      : body_(body),
        serving_(serving),
        writer_(writer),
        changes_(changes),
        redo_sequence_(body->state.redo_sequence) {}
  TabletFlusher(const TabletFlusher&) = delete;
  TabletFlusher& operator=(const TabletFlusher&) = delete;

  // Writes everything in memory to SSTables and moves the redo point. OK if there is nothing to
  // write.
  [[nodiscard]] Status Flush();
  // Flushes everything and returns the state from which other tablets can continue. Requires:
  // closed for writes.
  [[nodiscard]] StatusOr<TabletState> HandOver();

  // Every entry up to this number is in an SSTable, so the log need not keep records of them.
  uint64_t redo_sequence() const { return redo_sequence_.load(); }
  // Time of the oldest write that is only in memtables and the log; 0: there is none.
  int64_t oldest_write_us() const;

 private:
  struct Frozen {
    std::shared_ptr<const TabletVersion> version;
    uint64_t sequence = 0;  // no entry up to this number is in an active memtable
  };
  using GroupRuns = std::vector<std::pair<std::string, TabletRun>>;  // groups and their new runs

  Frozen Freeze();
  Status WriteFrozen(const Frozen& frozen);
  Status WriteGroups(const TabletVersion& frozen, GroupRuns* runs);
  StatusOr<std::vector<FileSummary>> WriteGroup(const GroupVersion& group,
                                                const TabletSnapshot& snapshot);
  void Install(const GroupRuns& runs, const TabletVersion& flushed) REQUIRES(body_->state_mutex);

  TabletBody* const body_;
  const TabletServing* const serving_;
  const TabletWriter* const writer_;
  KeptChanges* const changes_;
  Mutex mutex_;  // held by the running flush
  std::atomic<uint64_t> redo_sequence_;
  // Oldest write in the frozen memtables; 0: there is none.
  int64_t frozen_write_us_ GUARDED_BY(body_->mutex) = 0;
};

}  // namespace sippar::engine
