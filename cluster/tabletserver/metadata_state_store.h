// Keeps in METADATA the durable states of the tablets that a server serves (paper section 5.1).
// Each change is conditional on the record that the server knows, so a server that was declared
// dead or has lost a tablet cannot change anything (PROTOCOL.md, F2b).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "cluster/api/tablet_record.h"
#include "cluster/location/metadata_table.h"
#include "engine/base/thread.h"
#include "engine/tablet/tablet_state.h"

namespace sippar::cluster {

// Thread safe. Changes of one tablet are made one after the other; during a call to METADATA only
// the lock of that tablet's record is held.
class MetadataStateStore final : public engine::TabletStateWriter {
 public:
  // `metadata` outlives this object.
  explicit MetadataStateStore(MetadataTable* metadata) : metadata_(metadata) {}

  // Lets the tablet save its state from now on. `replayed_through`: the tablet's highest sequence
  // number after the replay of dead servers' logs; 0 for a child of a split, which has no logs.
  void Track(const TabletRecord& record, uint64_t replayed_through);
  void Forget(uint64_t tablet_id);
  // True if the tablet is not tracked, or METADATA has shown that another server has the tablet or
  // another tablet has its rows.
  bool IsLost(uint64_t tablet_id) const;

  // kAborted: the tablet is lost (IsLost).
  Status Save(const engine::TabletState& state) override;
  // Like Save, but writes nothing if METADATA already has this state.
  [[nodiscard]] Status SaveLast(const engine::TabletState& state);
  // Makes the tablet unassigned, so that its next server need not wait for the recovery of this
  // server. Requires: the tablet is closed here for good, and its last state is saved.
  [[nodiscard]] Status Release(uint64_t tablet_id);
  // Commits a split; returns the record with `split` set. After kUnavailable or kDeadlineExceeded
  // the outcome is unknown; another call with the same arguments finds it out.
  [[nodiscard]] StatusOr<TabletRecord> CommitSplit(const engine::TabletState& closed,
                                                   const SplitRecord& split);

 private:
  struct Tracked {
    engine::Mutex mutex;
    TabletRecord record GUARDED_BY(mutex);
    uint64_t replayed_through = 0;
    std::atomic<bool> lost{false};
  };
  std::shared_ptr<Tracked> Find(uint64_t tablet_id) const;
  Status Change(Tracked* tracked,
                const std::function<TabletRecord(const TabletRecord&)>& changed_of,
                const TabletEvent& event, const SplitRecord* split) REQUIRES(tracked->mutex);

  MetadataTable* const metadata_;
  mutable engine::Mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Tracked>> tracked_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
