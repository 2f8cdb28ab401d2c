// Recovery: the log is replayed into the tablets, then continued (paper section 6).
// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_replay.h"
#include "engine/store/store.h"

namespace sippar::engine {

Status Store::Recover() {
  std::map<uint64_t, std::shared_ptr<Tablet>> by_id;
  for (const auto& tablet : AllTablets()) by_id[tablet->id()] = tablet;
  auto redo_of = [&](uint64_t tablet_id) {
    auto tablet = by_id.find(tablet_id);
    return tablet == by_id.end() ? UINT64_MAX : tablet->second->redo_sequence();
  };
  auto replay = [&](const LogRecord& record) {
    return by_id.find(record.tablet_id)->second->Replay(record);
  };
  ASSIGN_OR_RETURN(ReplayedLog old, ReplayLog(options_.fs, files_.wal(), redo_of, replay));
  metrics_.Get("log_bytes_replayed")->Add(old.bytes);
  for (SegmentId id : old.unused) RemoveOrphan(files_.wal() + "/" + SegmentFileName(id));
  CommitLogOptions log_options;
  log_options.fs = options_.fs;
  log_options.directory = files_.wal();
  log_options.epoch = files_.epoch;
  log_options.sync = options_.sync_writes;
  log_options.two_writers = options_.sync_writes && options_.background;
  log_options.segment_size = options_.log_segment_size;
  log_options.metrics = &metrics_;
  log_options.clock = options_.clock;
  log_ = std::make_unique<CommitLog>(std::move(log_options), old.last, old.last_length,
                                     std::move(old.segments));
  context_.log = log_.get();
  return OkStatus();
}

}  // namespace sippar::engine
