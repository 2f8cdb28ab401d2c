// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/tablet_moves.h"

#include <fmt/format.h>

#include "cluster/api/store_paths.h"
#include "cluster/tabletserver/record_plan.h"
#include "engine/base/crash_point.h"
#include "engine/base/tablet_scope.h"
#include "engine/log/log_sort.h"
#include "engine/tablet/giving_way.h"

namespace sippar::cluster {
namespace {

constexpr size_t kLogsKeptMax = 4;
// A load requests a flush if the tablet's record names at least this many logs.
constexpr size_t kLogsReadMax = 4;

}  // namespace

Status TabletMoves::Load(const TabletRecord& record, const TableRecord& table) {
  const engine::TabletScope scope(record.tablet_id);
  TabletAddress address{record.tablet_id, record.tablet_epoch};
  Status begun = parts_->served->BeginLoad(address, table.table_id, table.schema_version);
  if (begun.code() == StatusCode::kAlreadyExists) return OkStatus();
  RETURN_IF_ERROR(begun);
  auto served = Open(record, table);
  Status status = Annotate(served.status(), fmt::format("load tablet {}", record.tablet_id));
  bool over = !status.ok() && !OutcomeIsUnknown(status);
  parts_->served->EndLoad(address, status.ok() ? std::move(*served) : nullptr, over);
  return status;
}

StatusOr<std::shared_ptr<Served>> TabletMoves::Open(const TabletRecord& record,
                                                    const TableRecord& table) {
  // The error is final, so that the master chooses another server.
  if (leaves_)
    return FailedPrecondition(fmt::format("server {} is shutting down", parts_->id.ToString()));
  RETURN_IF_ERROR(parts_->check_serving());
  if (record.phase != TabletPhase::kAssigned || record.server != parts_->id || record.split) {
    return FailedPrecondition(
        fmt::format("its METADATA record does not assign it to {}", parts_->id.ToString()));
  }
  auto schema = std::make_shared<const engine::TableSchema>(table.schema);
  std::shared_ptr<engine::Tablet> tablet = parts_->host->Open(record.state, std::move(schema));
  tablet->changes().SetOwnerEpoch(record.tablet_epoch);
  RETURN_IF_ERROR(ReplayLogs(record, tablet.get()));
  CRASH_POINT("load.after_replay");
  parts_->states->Track(record, tablet->last_sequence());
  if (Status heard = tablet->families().HearOfSchema(); !heard.ok()) {
    parts_->states->Forget(record.tablet_id);
    return heard;
  }
  parts_->host->Serve(tablet);
  // The flush removes the logs from the record; otherwise each death of a server would add one more
  // log to read.
  if (record.logs.size() >= kLogsReadMax) parts_->host->WantFlush(record.tablet_id);
  return std::make_shared<Served>(std::move(tablet), record.table_id, record.tablet_epoch,
                                  table.schema_version);
}

// Replays the logs in the order of `record.logs`: the dead servers had the tablet one after
// another, so each log continues where the previous one ended.
Status TabletMoves::ReplayLogs(const TabletRecord& record, engine::Tablet* tablet) {
  // The counter is shown as 0 if nothing was replayed, so that a test can check a start after a
  // clean stop.
  engine::Counter* replayed = parts_->host->metrics()->Get("log_records_replayed");
  for (const ServerId& dead : record.logs) {
    ASSIGN_OR_RETURN(std::shared_ptr<engine::SealedLog> log, FindLog(dead));
    RETURN_IF_ERROR(Annotate(log->Replay(record.tablet_id, record.state.redo_sequence,
                                         [tablet, replayed](const engine::LogRecord& found) {
                                           replayed->Add();
                                           return tablet->writer().Replay(found);
                                         }),
                             "log of " + dead.ToString()));
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<engine::SealedLog>> TabletMoves::FindLog(const ServerId& dead) {
  engine::MutexLock lock(&mutex_);
  std::shared_ptr<engine::SealedLog>& kept = logs_[dead];
  if (kept != nullptr) return kept;
  const std::string path = store_paths::SealedLog(parts_->directory, dead);
  auto opened = engine::SealedLog::Open(parts_->store.fs, path);
  if (!opened.ok()) {
    logs_.erase(dead);
    if (opened.status().code() != StatusCode::kNotFound) return opened.status();
    return DataLoss(
        fmt::format("the log of server {} is missing ({}), and with it writes that its tablets had "
                    "not flushed; put {} back from a copy",
                    dead.ToString(), MessageOf(opened.status()), path));
  }
  std::shared_ptr<engine::SealedLog> log = std::move(*opened);
  kept = log;
  if (logs_.size() > kLogsKeptMax)
    logs_.erase(logs_.begin()->first == dead ? std::prev(logs_.end()) : logs_.begin());
  return log;
}

Status TabletMoves::Unload(const TabletAddress& address) {
  auto served = parts_->served->BeginUnload(address);
  if (served.status().code() == StatusCode::kNotFound) return OkStatus();
  RETURN_IF_ERROR(served.status());
  return FinishUnload(address, served->get());
}

StatusOr<bool> TabletMoves::TryUnload(const TabletAddress& address) {
  auto served = parts_->served->BeginUnload(address);
  if (served.status().code() == StatusCode::kNotFound) return true;
  if (served.status().code() == StatusCode::kUnavailable) return false;
  RETURN_IF_ERROR(served.status());
  RETURN_IF_ERROR(FinishUnload(address, served->get()));
  return true;
}

Status TabletMoves::FinishUnload(const TabletAddress& address, Served* served) {
  const engine::TabletScope scope(address.tablet_id);
  Status status = GiveUp(served);
  parts_->served->EndUnload(address, status.ok());
  return Annotate(status, fmt::format("unload tablet {}", address.tablet_id));
}

// Flushes most of the memtable while writes continue, and the rest while writes wait. After an
// error this server continues to serve the tablet.
Status TabletMoves::GiveUp(Served* served) {
  uint64_t id = served->tablet->id();
  engine::GivingWay giving_way({served->tablet});
  Status status = giving_way.Begin();
  CRASH_POINT("unload.after_first_flush");
  if (status.ok()) {
    auto closed = giving_way.Close();
    CRASH_POINT("unload.after_close");
    status = closed.status();
    // The next server assigns the sequence numbers after the saved state. A group of writes that
    // failed here may have the same numbers in this server's log. A recovery must not find that
    // group, so CutRefused cuts it off the log.
    if (status.ok()) status = parts_->host->CutRefused();
    if (status.ok()) status = parts_->states->SaveLast(closed->front());
  }
  // A tablet that METADATA has assigned to another server cannot be saved, and need not be.
  if (!status.ok() && !parts_->states->IsLost(id)) return status;
  CRASH_POINT("unload.after_save");
  served->open = false;
  giving_way.Retire();
  parts_->host->Forget(id);
  // Makes the record unassigned; otherwise the tablet's next server would wait for the recovery of
  // this server's log, although it needs nothing from that log.
  if (leaves_) (void)parts_->states->Release(id);
  parts_->states->Forget(id);
  parts_->host->RemoveObsoleteSegments();
  return OkStatus();
}

bool TabletMoves::DropLost() {
  bool any = false;
  for (const std::shared_ptr<Served>& served : parts_->served->All()) {
    if (!parts_->states->IsLost(served->tablet->id())) continue;
    any = Unload({served->tablet->id(), served->tablet_epoch}).ok() || any;
  }
  return any;
}

Status TabletMoves::SortLogPart(const ServerId& dead, uint64_t segment) {
  ASSIGN_OR_RETURN(std::shared_ptr<engine::SealedLog> log, FindLog(dead));
  const engine::SealedSegment* sealed = log->seal().Find({dead.epoch, segment});
  if (sealed == nullptr) {
    return NotFound(
        fmt::format("the sealed log of {} has no segment {}", dead.ToString(), segment));
  }
  // Each call writes files of its own, because a repeated call may run concurrently with the first.
  ASSIGN_OR_RETURN(uint64_t attempt, parts_->host->NextId());
  return engine::SortSegment(parts_->store.fs, store_paths::SealedLog(parts_->directory, dead),
                             *sealed, attempt);
}

}  // namespace sippar::cluster
