// The durable states of the tablets that a server serves: their records in METADATA (paper section
// 5.1). Each change is conditional on the record that the server knows, so a server that was
// declared dead, or has lost the tablet, changes nothing any more (PROTOCOL.md, F2b).
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

// Thread safe; changes of one tablet come one at a time. No lock is held over a call to METADATA
// but that of the tablet's own record.
class MetadataStateStore final : public engine::TabletStateWriter {
 public:
  // `metadata` outlives it.
  explicit MetadataStateStore(MetadataTable* metadata) : metadata_(metadata) {}

  // From now on the tablet may save its state. `replayed_through`: the highest number that came
  // from the logs of dead servers, 0: none did.
  void Track(const TabletRecord& record, uint64_t replayed_through);
  void Forget(uint64_t tablet_id);
  // METADATA says that another server has the tablet, or another tablet the rows.
  bool IsLost(uint64_t tablet_id) const;

  // kAborted: lost.
  Status Save(const engine::TabletState& state) override;
  // The same, unless METADATA says it already.
  [[nodiscard]] Status SaveLast(const engine::TabletState& state);
  // Nobody has it any more, so that whoever has it next need not hear of this server's end. It is
  // closed here for good, and saved.
  [[nodiscard]] Status Release(uint64_t tablet_id);
  // The record as committed, `split` set. After kUnavailable or kDeadlineExceeded the outcome is
  // unknown: the same call again tells.
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
