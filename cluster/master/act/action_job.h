// Carries one action of the master out: a call, a change of METADATA, of the lock service or of the
// shared directory. Decides nothing and tries nothing again. SPDX-License-Identifier: Apache-2.0
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

// Everything outlives the job.
struct ActionPlaces {
  Transport* transport = nullptr;
  MetadataTable* metadata = nullptr;
  engine::FileSystem* fs = nullptr;
  engine::Clock* clock = nullptr;
  std::string directory;  // shared by all servers (store_paths.h)
  // A writer whose process is not proven dead counts as stopped so long after its lock was taken:
  // what it may still answer from memory has ended with its lease.
  int64_t lease_us = 0;
};

// Thread safe. Of one master: `session` holds the master lock, `epoch` is its own.
class ActionJob {
 public:
  ActionJob(ActionPlaces places, LockSession* session, uint64_t epoch)
      : places_(std::move(places)), session_(session), epoch_(epoch) {}

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
  // The record as it was read, or kAborted and what has its first row now.
  StatusOr<TabletRecord> FindSame(const RecordRef& asked, event::Done* done);
  StatusOr<bool> WasSwept(const ServerId& server);
  // Is the process that has the log gone for certain?
  StatusOr<bool> WriterIsGone(const std::string& log_directory);

  const ActionPlaces places_;
  LockSession* const session_;
  const uint64_t epoch_;
  engine::Mutex mutex_;
  std::map<ServerId, int64_t> fenced_ns_ GUARDED_BY(mutex_);  // when its lock was taken
};

}  // namespace sippar::cluster::master
