// What the parts of one tablet share: its name and rows, its durable state, and the version of it
// that readers see. Each part (serving, changes, reader, writer, flusher, compactor, families) also
// has members of its own, in its own header.
//
// Thread safe by its locks. Lock order of one tablet, with the locks that its parts own:
//   mutex_ of TabletFlusher < state_mutex < row locks < commit log < apply_mutex
//   < mutex_ of RunClaims < mutex
// The row locks and the log come after state_mutex because a state is saved by a write to METADATA.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/thread.h"
#include "engine/model/schema.h"
#include "engine/read/family_rule.h"
#include "engine/read/tablet_work.h"
#include "engine/tablet/memtable_bytes.h"
#include "engine/tablet/tablet_context.h"

namespace sippar::engine {

// What one read sees. All members are from the same moment.
struct TabletSnapshot {
  std::shared_ptr<const TabletVersion> version;
  std::shared_ptr<const FamilyRules> rules;
  std::shared_ptr<const TableSchema> schema;
  uint64_t sequence = 0;  // the last sequence number that the read sees
};

struct TabletBody {
  // Opens no SSTable: the first read that needs a file opens it. TabletFamilies::SetSchema sets the
  // schema afterwards.
  TabletBody(TabletContext* context, TabletState opened);
  TabletBody(const TabletBody&) = delete;
  TabletBody& operator=(const TabletBody&) = delete;

  TabletSnapshot TakeSnapshot() const;
  // Saves the state durably, then registers the names of its files (FileRegistry) in place of those
  // of the old state. After an error it is unknown which of the two states is saved.
  [[nodiscard]] Status SaveState(TabletState changed) REQUIRES(state_mutex);

  TabletContext* const context;
  const uint64_t id;
  const uint64_t table_id;
  const RowRange range;
  const std::shared_ptr<TabletWork> work = std::make_shared<TabletWork>();
  MemtableBytes memory;

  // Held while a write is applied to the memtables, while the memtables are frozen and while the
  // schema changes, so that these never overlap.
  mutable Mutex apply_mutex;

  // One change of the durable state at a time; held while the state is saved.
  mutable Mutex state_mutex;
  TabletState state GUARDED_BY(state_mutex);

  // Held only while pointers are copied and new lists of them are made, so readers never wait for a
  // disk.
  mutable Mutex mutex;
  std::shared_ptr<const TabletVersion> version GUARDED_BY(mutex);
  std::shared_ptr<const TableSchema> schema GUARDED_BY(mutex);
  std::shared_ptr<const FamilyRules> rules GUARDED_BY(mutex);
  uint64_t visible_sequence GUARDED_BY(mutex) = 0;
  int64_t oldest_write_us GUARDED_BY(mutex) = 0;  // oldest write in the active memtables; 0: none

 private:
  // Set after a failed save, whose outcome is unknown, until a later save succeeds: the sweep must
  // keep all files.
  UnpublishedFiles::Job unsure_ GUARDED_BY(state_mutex);
};

}  // namespace sippar::engine
