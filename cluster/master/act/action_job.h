// Carries out one action of the master: a call to a server, or a change of METADATA, the lock
// service or the shared directory. It decides nothing and never retries; the outcome goes back to
// the step as an event. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cluster/api/transport.h"
#include "cluster/location/metadata_table.h"
#include "cluster/lock/lock_service.h"
#include "cluster/master/decide/master_event.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster::master {

// What actions work on. All of it outlives the job.
struct ActionPlaces {
  Transport* transport = nullptr;
  MetadataTable* metadata = nullptr;
  engine::FileSystem* fs = nullptr;
  engine::Clock* clock = nullptr;
  std::string directory;  // directory shared by all servers (store_paths.h)
  // If the process of a dead server cannot be proven gone, its writer counts as stopped this long
  // after its lock was taken: then its lease is over, and with it any reads it might still answer
  // from memory.
  int64_t lease_us = 0;
};

// Actions of one master: `session` holds the master lock and `epoch` is the master's own. Thread
// safe.
class ActionJob {
 public:
  ActionJob(ActionPlaces places, LockSession* session, uint64_t epoch)
      : places_(std::move(places)), session_(session), epoch_(epoch) {}

  // Carries the action out and returns the event that answers it. Blocks for as long as the calls
  // take.
  event::Done CarryOut(const Action& action);

 private:
  event::Done Do(const action::ListServers& asked);
  event::Done Do(const action::ReadTables& asked);
  event::Done Do(const action::AskServer& asked);
  event::Done Do(const action::ReadRoot& asked);
  event::Done Do(const action::ReadRecords& asked);
  event::Done Do(const action::CreateRecord& asked);
  event::Done Do(const action::ChangeRecord& asked);
  event::Done Do(const action::LevelBirths& asked);
  event::Done Do(const action::CommitMerge& asked);
  event::Done Do(const action::EraseRecord& asked);
  event::Done Do(const action::LoadTablet& asked);
  event::Done Do(const action::UnloadTablet& asked);
  event::Done Do(const action::SplitByLoad& asked);
  event::Done Do(const action::SetSchema& asked);
  event::Done Do(const action::FenceServer& asked);
  event::Done Do(const action::StopWriter& asked);
  event::Done Do(const action::RenameLog& asked);
  event::Done Do(const action::SealLog& asked);
  event::Done Do(const action::SortLogPart& asked);
  event::Done Do(const action::WriteTable& asked);
  event::Done Do(const action::RemoveTable& asked);
  event::Done Do(const action::ListFiles& asked);
  event::Done Do(const action::FindReferences& asked);
  event::Done Do(const action::TrashFiles& asked);
  event::Done Do(const action::PurgeTrash& asked);
  event::Done Do(const action::Reply& asked);

  Status MakeChangeDirectory(const TableRecord& table);
  Status ExpireChanges(const action::PurgeTrash& asked);
  Status ExpireBackups();
  // The record if METADATA still has exactly `asked`. Otherwise kAborted, and done->answer holds
  // the record that has its first row now, if there is one.
  StatusOr<TabletRecord> FindSame(const RecordRef& asked, event::Done* done);
  // True if the server's log was swept, that is, no record needed it: only its emptied name is
  // left.
  StatusOr<bool> WasSwept(const ServerId& server);
  // True if the process that wrote the log has certainly ended.
  StatusOr<bool> WriterIsGone(const std::string& log_directory);

  const ActionPlaces places_;
  LockSession* const session_;
  const uint64_t epoch_;
  engine::Mutex mutex_;
  // When this master took each dead server's lock.
  std::map<ServerId, int64_t> fenced_ns_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster::master
