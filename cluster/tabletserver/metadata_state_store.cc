// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/metadata_state_store.h"

#include <fmt/format.h>

#include "cluster/tabletserver/record_plan.h"

namespace sippar::cluster {
namespace {

// Largest number of attempts for one change. While a tablet is assigned to a server, only that
// server changes the tablet's record. So if the record differs from what this server knows, and is
// still assigned to it at the same epoch, an earlier write of this server succeeded and its answer
// was lost.
constexpr int kAttemptsMax = 4;

Status Lost(uint64_t tablet_id) {
  return Aborted(fmt::format("tablet {} no longer belongs to this server", tablet_id));
}

}  // namespace

void MetadataStateStore::Track(const TabletRecord& record, uint64_t replayed_through) {
  auto tracked = std::make_shared<Tracked>();
  tracked->replayed_through = replayed_through;
  {
    engine::MutexLock lock(&tracked->mutex);
    tracked->record = record;
  }
  engine::MutexLock lock(&mutex_);
  tracked_[record.tablet_id] = std::move(tracked);
}

void MetadataStateStore::Forget(uint64_t tablet_id) {
  engine::MutexLock lock(&mutex_);
  tracked_.erase(tablet_id);
}

std::shared_ptr<MetadataStateStore::Tracked> MetadataStateStore::Find(uint64_t tablet_id) const {
  engine::MutexLock lock(&mutex_);
  auto found = tracked_.find(tablet_id);
  return found == tracked_.end() ? nullptr : found->second;
}

bool MetadataStateStore::IsLost(uint64_t tablet_id) const {
  std::shared_ptr<Tracked> tracked = Find(tablet_id);
  return tracked == nullptr || tracked->lost;
}

Status MetadataStateStore::Change(
    Tracked* tracked, const std::function<TabletRecord(const TabletRecord&)>& changed_of,
    const TabletEvent& event, const SplitRecord* split) {
  TabletRecord& record = tracked->record;
  Status written;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    if (tracked->lost) return Lost(record.tablet_id);
    TabletRecord changed = changed_of(record);
    written = metadata_->Write(&changed, event);
    if (written.ok()) record = std::move(changed);
    if (written.code() != StatusCode::kAborted) return written;
    // Looks the record up by its first row, not by its key: after a split, the record with that row
    // ends at another row and so has another key.
    auto found = metadata_->Find(record.table_id, record.range.start);
    if (found.status().code() == StatusCode::kNotFound) tracked->lost = true;
    if (tracked->lost) return Lost(record.tablet_id);
    RETURN_IF_ERROR(found.status());
    switch (StandingOf(*found, record, split)) {
      case Standing::kMine:
        record = std::move(*found);
        break;
      // An earlier attempt committed the split, and the split was finished after that. Only the
      // answer to that attempt was lost.
      case Standing::kSplit:
        record = changed_of(record);
        return OkStatus();
      case Standing::kLost:
        tracked->lost = true;
    }
  }
  return Unavailable(std::string(MessageOf(written)));
}

Status MetadataStateStore::Save(const engine::TabletState& state) {
  std::shared_ptr<Tracked> tracked = Find(state.tablet_id);
  if (tracked == nullptr) return Lost(state.tablet_id);
  engine::MutexLock lock(&tracked->mutex);
  TabletEvent event{"saved", SaveText(tracked->record, state)};
  auto changed_of = [&](const TabletRecord& record) {
    return WithState(record, state, tracked->replayed_through);
  };
  return Change(tracked.get(), changed_of, event, nullptr);
}

Status MetadataStateStore::SaveLast(const engine::TabletState& state) {
  std::shared_ptr<Tracked> tracked = Find(state.tablet_id);
  if (tracked == nullptr) return Lost(state.tablet_id);
  {
    engine::MutexLock lock(&tracked->mutex);
    if (IsCurrent(tracked->record, state)) return OkStatus();
  }
  return Save(state);
}

Status MetadataStateStore::Release(uint64_t tablet_id) {
  std::shared_ptr<Tracked> tracked = Find(tablet_id);
  if (tracked == nullptr) return Lost(tablet_id);
  engine::MutexLock lock(&tracked->mutex);
  TabletEvent event{"released", "by " + tracked->record.server.ToString()};
  return Change(tracked.get(), WithoutServer, event, nullptr);
}

StatusOr<TabletRecord> MetadataStateStore::CommitSplit(const engine::TabletState& closed,
                                                       const SplitRecord& split) {
  std::shared_ptr<Tracked> tracked = Find(closed.tablet_id);
  if (tracked == nullptr) return Lost(closed.tablet_id);
  engine::MutexLock lock(&tracked->mutex);
  TabletEvent event{"split",
                    fmt::format("into {} and {}", split.left.tablet_id, split.right.tablet_id)};
  auto changed_of = [&](const TabletRecord& record) { return WithSplit(record, closed, split); };
  RETURN_IF_ERROR(Change(tracked.get(), changed_of, event, &split));
  return tracked->record;
}

}  // namespace sippar::cluster
