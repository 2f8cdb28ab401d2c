// The changes of one tablet that are kept for the table's change stream (engine/changes): in memory
// from the write on, in an archive file from the flush on.
//
// Thread safe. Without a change stream, a write only tests one flag.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/changes/change_reader.h"
#include "engine/tablet/tablet_body.h"

namespace sippar::engine {

class KeptChanges {
 public:
  // `body` outlives this object.
  explicit KeptChanges(TabletBody* body) : body_(body) {}
  KeptChanges(const KeptChanges&) = delete;
  KeptChanges& operator=(const KeptChanges&) = delete;

  bool is_kept() const { return tail_.is_kept(); }
  ChangeTail* tail() { return &tail_; }
  ChangeSource Source() const;  // valid while the tablet lives

  // `epoch` rises each time a server gets the tablet. It forms the upper half of the ids of change
  // files, so that the files of a later server count as newer. Called before the first write. In
  // tests with one TabletHost, which do not call this, the upper half is the epoch of the host.
  void SetOwnerEpoch(uint64_t epoch) { owner_epoch_ = epoch; }
  // Keeps changes from the next write on. Called before a schema with a change stream is in force,
  // so that the stream misses no change made under that schema.
  void Keep();
  // Keeps changes from `next_sequence` on if the schema has a stream, else drops them. Requires:
  // body's apply_mutex held.
  void Follow(const TableSchema& schema, uint64_t next_sequence);
  // Takes over the body of a log record whose write has just become visible. Requires: body's
  // apply_mutex held, so that no freeze comes between the write and its change.
  void Add(std::string* log_body);
  // Writes the changes up to `sequence` to the archive, for a flush that is about to move the redo
  // point there. OK if there are none.
  [[nodiscard]] Status Archive(uint64_t sequence);
  [[nodiscard]] Status VerifyArchive() const;

 private:
  TabletBody* const body_;
  ChangeTail tail_;
  uint64_t owner_epoch_ = 0;
};

}  // namespace sippar::engine
