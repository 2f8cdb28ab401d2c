// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/tablet_split.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/location/meta_row.h"
#include "cluster/tabletserver/record_plan.h"
#include "engine/base/crash_point.h"
#include "engine/base/printable.h"
#include "engine/base/tablet_scope.h"
#include "engine/tablet/giving_way.h"
#include "engine/tablet/reshape.h"

namespace sippar::cluster {
namespace {

// Time between two attempts while the outcome of a commit is unknown.
constexpr int64_t kAskAgainMicros = 100'000;

SplitRecord Halves(const engine::Tablet& parent, const engine::TabletState& closed,
                   const std::string& row, const ChildIds& ids) {
  auto part = [&](uint64_t tablet_id, const engine::RowRange& rows) {
    return engine::PartOfState(closed, tablet_id, rows,
                               [&](const engine::FileRef& file, const engine::RowRange& of_file) {
                                 return parent.StoredBytesOf(file, of_file);
                               });
  };
  const engine::RowRange& range = parent.range();
  return SplitRecord{part(ids[0], {range.start, row}), part(ids[1], {row, range.limit})};
}

}  // namespace

Status TabletSplitter::Split(const std::shared_ptr<Served>& parent, const std::string& row) {
  const engine::RowRange& range = parent->tablet->range();
  if (!range.Contains(row)) {
    return InvalidArgument(fmt::format("row '{}': it is outside the range of tablet {}",
                                       engine::PrintableBytes(row), parent->tablet->id()));
  }
  if (range.start == row) return OkStatus();
  if (IsRoot(parent->table_id, range)) {
    return FailedPrecondition(
        fmt::format("tablet {}: it is the root tablet, the first of METADATA, which is never "
                    "split",
                    parent->tablet->id()));
  }
  RETURN_IF_ERROR(CheckLimit(row));
  ChildIds ids{};
  for (uint64_t& id : ids) {
    ASSIGN_OR_RETURN(id, parts_->host->NextId());
  }
  RETURN_IF_ERROR(parts_->served->BeginSplit(*parent, ids));
  std::vector<std::shared_ptr<Served>> children;
  Status status = Replace(parent, row, ids, &children);
  parts_->served->EndSplit(*parent, ids, children);
  if (status.ok()) parts_->tell_split(parent->tablet->id());
  return Annotate(status, fmt::format("split tablet {} at '{}'", parent->tablet->id(), row));
}

Status TabletSplitter::Replace(const std::shared_ptr<Served>& parent, const std::string& row,
                               const ChildIds& ids,
                               std::vector<std::shared_ptr<Served>>* children) {
  engine::GivingWay giving_way({parent->tablet});
  RETURN_IF_ERROR(giving_way.Begin());
  ASSIGN_OR_RETURN(std::vector<engine::TabletState> closed, giving_way.Close());
  CRASH_POINT("tablet_split.after_close");
  SplitRecord halves = Halves(*parent->tablet, closed[0], row, ids);
  auto committed = Commit(closed[0], halves);
  if (!committed.ok()) {
    // The server is ending and the outcome is unknown. The children may exist, so the parent must
    // not accept writes any more.
    if (OutcomeIsUnknown(committed.status())) giving_way.GiveUp();
    return committed.status();
  }
  CRASH_POINT("tablet_split.after_commit");
  parent->open = false;
  *children = ServeChildren(*parent, *committed);
  giving_way.Retire();
  parts_->states->Forget(parent->tablet->id());
  parts_->host->Forget(parent->tablet->id());
  parts_->host->RemoveObsoleteSegments();
  parts_->host->metrics()->Get("tablet_splits")->Add();
  // Every Scan or Find of MetadataTable that meets an unfinished split finishes it. This call only
  // saves them this work, so its error is ignored.
  (void)parts_->metadata->FinishSplit(*committed);
  CRASH_POINT("tablet_split.after_finish");
  return OkStatus();
}

// The tablet is closed during this call, so the commit is repeated until its outcome is known or
// the server ends. It is repeated even without a lease, because the lease may come back; otherwise
// the tablet would stay closed although this server is alive.
StatusOr<TabletRecord> TabletSplitter::Commit(const engine::TabletState& closed,
                                              const SplitRecord& split) {
  auto committed = parts_->states->CommitSplit(closed, split);
  while (!committed.ok() && OutcomeIsUnknown(committed.status()) && !parts_->host->stopping() &&
         !parts_->has_ended()) {
    parts_->store.clock->SleepMicros(kAskAgainMicros);
    committed = parts_->states->CommitSplit(closed, split);
  }
  return committed;
}

// Opens the children, which then hold their files, before the parent releases these files.
std::vector<std::shared_ptr<Served>> TabletSplitter::ServeChildren(const Served& parent,
                                                                   const TabletRecord& committed) {
  std::vector<std::shared_ptr<Served>> children;
  auto [left, right] = ChildrenOf(committed);
  for (const TabletRecord& record : {left, right}) {
    std::shared_ptr<engine::Tablet> tablet =
        parts_->host->Open(record.state, parent.tablet->schema());
    tablet->changes().SetOwnerEpoch(record.tablet_epoch);
    parts_->states->Track(record, 0);
    parts_->host->Serve(tablet);
    children.push_back(std::make_shared<Served>(std::move(tablet), parent.table_id,
                                                record.tablet_epoch, parent.schema_version));
  }
  return children;
}

bool TabletSplitter::SplitLarge() {
  for (const std::shared_ptr<Served>& served : parts_->served->All()) {
    if (parts_->host->stopping()) return false;
    if (SplitIfLarge(served)) return true;
  }
  return false;
}

bool TabletSplitter::SplitIfLarge(const std::shared_ptr<Served>& served) {
  engine::Tablet* tablet = served->tablet.get();
  const engine::TabletScope scope(tablet->id());
  if (IsRoot(served->table_id, tablet->range())) return false;
  uint64_t size = engine::SplitSizeOf(*tablet->schema(), parts_->store.split_size);
  // A tablet with a single row cannot be split. If a search has found no row to split at, or the
  // split failed, the next search waits until the tablet has grown by a quarter.
  size = std::max(size, tablet->unsplit_bytes() + tablet->unsplit_bytes() / 4);
  engine::TabletSize now{tablet->stored_bytes(), static_cast<uint64_t>(tablet->memtable_bytes()),
                         parts_->store.clock->NowMicros() - tablet->serving().since_us()};
  if (!engine::DecideSplit(now, size).wanted) return false;
  auto row = tablet->MiddleRow();
  Status status = row.status();
  if (row.ok() && row->has_value()) status = Split(served, **row);
  if (status.ok() && row->has_value()) return true;
  if (!status.ok()) parts_->host->metrics()->Get("tablet_split_errors")->Add();
  tablet->SetUnsplitBytes(tablet->stored_bytes());
  return false;
}

}  // namespace sippar::cluster
